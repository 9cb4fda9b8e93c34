// Command gnark prints keys and proofs of gnark in the JSON of snarkjs, for
// out = (y * y + 3) * x with a private y: go run . > gnark.json
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend/groth16"
	bls "github.com/consensys/gnark/backend/groth16/bls12-381"
	bn "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"
)

type circuit struct {
	Out frontend.Variable `gnark:",public"`
	X   frontend.Variable `gnark:",public"`
	Y   frontend.Variable
}

func (c *circuit) Define(api frontend.API) error {
	api.AssertIsEqual(c.Out, api.Mul(api.Add(api.Mul(c.Y, c.Y), 3), c.X))
	return nil
}

type g1 [3]string
type g2 [3][2]string

type key struct {
	Protocol string `json:"protocol"`
	Curve    string `json:"curve"`
	NPublic  int    `json:"nPublic"`
	Alpha    g1     `json:"vk_alpha_1"`
	Beta     g2     `json:"vk_beta_2"`
	Gamma    g2     `json:"vk_gamma_2"`
	Delta    g2     `json:"vk_delta_2"`
	IC       []g1   `json:"IC"`
}

type proof struct {
	Protocol string `json:"protocol"`
	Curve    string `json:"curve"`
	A        g1     `json:"pi_a"`
	B        g2     `json:"pi_b"`
	C        g1     `json:"pi_c"`
}

type record struct {
	Key     key      `json:"key"`
	Proof   proof    `json:"proof"`
	Signals []string `json:"signals"`
}

func one(x, y fmt.Stringer) g1 { return g1{x.String(), y.String(), "1"} }

func two(x0, x1, y0, y1 fmt.Stringer) g2 {
	return g2{{x0.String(), x1.String()}, {y0.String(), y1.String()}, {"1", "0"}}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func made(curve ecc.ID) (groth16.VerifyingKey, groth16.Proof) {
	field := curve.ScalarField()
	system := must(frontend.Compile(field, r1cs.NewBuilder, &circuit{}))
	pk, vk, err := groth16.Setup(system)
	if err != nil {
		panic(err)
	}
	witness := must(frontend.NewWitness(&circuit{Out: 28 * 11, X: 11, Y: 5}, field))
	return vk, must(groth16.Prove(system, pk, witness))
}

func onBN254() record {
	anyKey, anyProof := made(ecc.BN254)
	vk, p := anyKey.(*bn.VerifyingKey), anyProof.(*bn.Proof)
	k := key{Protocol: "groth16", Curve: "bn128", NPublic: 2}
	k.Alpha = one(&vk.G1.Alpha.X, &vk.G1.Alpha.Y)
	b, g, d := &vk.G2.Beta, &vk.G2.Gamma, &vk.G2.Delta
	k.Beta = two(&b.X.A0, &b.X.A1, &b.Y.A0, &b.Y.A1)
	k.Gamma = two(&g.X.A0, &g.X.A1, &g.Y.A0, &g.Y.A1)
	k.Delta = two(&d.X.A0, &d.X.A1, &d.Y.A0, &d.Y.A1)
	for i := range vk.G1.K {
		k.IC = append(k.IC, one(&vk.G1.K[i].X, &vk.G1.K[i].Y))
	}
	q := proof{Protocol: "groth16", Curve: "bn128", A: one(&p.Ar.X, &p.Ar.Y), C: one(&p.Krs.X, &p.Krs.Y)}
	q.B = two(&p.Bs.X.A0, &p.Bs.X.A1, &p.Bs.Y.A0, &p.Bs.Y.A1)
	return record{k, q, []string{"308", "11"}}
}

func onBLS12381() record {
	anyKey, anyProof := made(ecc.BLS12_381)
	vk, p := anyKey.(*bls.VerifyingKey), anyProof.(*bls.Proof)
	k := key{Protocol: "groth16", Curve: "bls12381", NPublic: 2}
	k.Alpha = one(&vk.G1.Alpha.X, &vk.G1.Alpha.Y)
	b, g, d := &vk.G2.Beta, &vk.G2.Gamma, &vk.G2.Delta
	k.Beta = two(&b.X.A0, &b.X.A1, &b.Y.A0, &b.Y.A1)
	k.Gamma = two(&g.X.A0, &g.X.A1, &g.Y.A0, &g.Y.A1)
	k.Delta = two(&d.X.A0, &d.X.A1, &d.Y.A0, &d.Y.A1)
	for i := range vk.G1.K {
		k.IC = append(k.IC, one(&vk.G1.K[i].X, &vk.G1.K[i].Y))
	}
	q := proof{Protocol: "groth16", Curve: "bls12381", A: one(&p.Ar.X, &p.Ar.Y), C: one(&p.Krs.X, &p.Krs.Y)}
	q.B = two(&p.Bs.X.A0, &p.Bs.X.A1, &p.Bs.Y.A0, &p.Bs.Y.A1)
	return record{k, q, []string{"308", "11"}}
}

func main() {
	logger.Disable() // It writes to the standard output.
	records := []record{onBN254(), onBLS12381()}
	if err := json.NewEncoder(os.Stdout).Encode(records); err != nil {
		panic(err)
	}
}
