;; call f 300
;; call f -1
;; call table 4
(module
  (memory i64 1)
  (memory $narrow 1)
  (table i64 2 100 funcref)
  (func (export "f") (param i64)
    (memory.fill 0 (i64.const 0) (i32.const 1) (local.get 0))
    (memory.copy $narrow 0 (i32.const 0) (i64.const 0) (i32.const 20))
    (drop (memory.grow 0 (i64.const 1)))
    (drop (memory.grow 0 (local.get 0)))
    (drop (memory.grow $narrow (i32.const 1))))
  (func (export "table") (param i64) (result i64)
    (table.grow 0 (ref.null func) (local.get 0))))
