;; call divide 0
;; call divide 3
;; call stop
;; call load 65533
;; call truncate
;; call bulk 65530
(module
  (memory 1)
  (func $third (param i32) (drop (i32.div_s (i32.const 3) (local.get 0))))
  (func (export "divide") (param i32)
    (drop (i32.const 1))
    (call $third (i32.const 1))
    (call $third (local.get 0))
    (drop (i32.const 1)))
  (func (export "stop") (drop (i32.const 1)) (unreachable))
  (func (export "load") (param i32) (result i32)
    (call $third (i32.const 1))
    (i32.load (local.get 0)))
  (func (export "truncate") (result i32) (i32.trunc_f64_s (f64.const 1e300)))
  (func (export "bulk") (param i32)
    (call $third (i32.const 1))
    (memory.fill (local.get 0) (i32.const 1) (i32.const 10))))
