;; call f32 0
;; call f32 -0.0
;; call f32 1
;; call f32 0.1
;; call f32 -1.5
;; call f32 16777216
;; call f32 16777217
;; call f32 33554432
;; call f32 1e10
;; call f32 1e30
;; call f32 3.4028235e38
;; call f32 1.1754944e-38
;; call f32 1e-40
;; call f32 1e-45
;; call f32 -7e-45
;; call f32 9.8607613e-32
;; call f32 2.3509887e-38
;; call f32 inf
;; call f32 -inf
;; call f32 nan
;; call f32 1e39
;; call f32 0.3333333333
;; call f32 1048576.25
;; call f32 8388608.5
;; call f32 1.262177448353619e-29
;; call f32 1.5474250491067253e+26
;; call f32 1.2379400392853803e+27
;; call f64 0
;; call f64 -0.0
;; call f64 0.1
;; call f64 -1.5
;; call f64 1e20
;; call f64 1e21
;; call f64 1.5e21
;; call f64 123456789012345680000
;; call f64 1e-6
;; call f64 1e-7
;; call f64 1.234e-7
;; call f64 5e-324
;; call f64 -2.2250738585072014e-308
;; call f64 1.7976931348623157e308
;; call f64 9007199254740993
;; call f64 0.30000000000000004
;; call f64 inf
;; call f64 -inf
;; call f64 nan
;; call negated nan
;; call both
;; call whole
(module
  (func (export "f32") (param f32) (result f32) (local.get 0))
  (func (export "f64") (param f64) (result f64) (local.get 0))
  (func (export "negated") (param f64) (result f64) (f64.neg (local.get 0)))
  (func (export "both") (result f32 f64)
    (f32.div (f32.const 1) (f32.const 3)) (f64.div (f64.const 1) (f64.const 3)))
  (func (export "whole") (result i32 i64 i64)
    (i32.const 0xffffffff) (i64.const 0x8000000000000000) (i64.const 0x7fffffffffffffff)))
