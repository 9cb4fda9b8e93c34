;; call dynamic 5
;; call dynamic 200
;; call dynamic 70000
;; call few
;; call many
;; call denied 3
;; call table 7
;; call table 200
(module
  (memory $free 1)
  (memory $full 1 1)
  (table 1 9 funcref)
  (func (export "dynamic") (param i32) (result i32) (memory.grow $free (local.get 0)))
  (func (export "few") (result i32) (memory.grow $full (i32.const 5)))
  (func (export "many") (result i32) (memory.grow $free (i32.const 200)))
  (func (export "denied") (param i32) (result i32) (memory.grow $full (local.get 0)))
  (func (export "table") (param i32) (result i32) (table.grow (ref.null func) (local.get 0))))
