;; call f
(module
  (global $set (mut i32) (i32.const 0))
  (func $begin (global.set $set (i32.const 7)))
  (start $begin)
  (func (export "f") (result i32) (global.get $set)))
