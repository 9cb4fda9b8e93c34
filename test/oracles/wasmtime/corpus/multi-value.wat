;; call f 3
;; call f 0
(module
  (func $three (param i32) (result i32 i64 i32)
    local.get 0 i64.const 5 i32.const 9 local.get 0 br_if 0 return)
  (func (export "f") (param i32) (result i32 i64 i32)
    local.get 0 call $three))
