;; call f
(module (func (export "f") (loop $again (br $again))))
