;; call f
(module
  (table $functions 3 funcref)
  (table $values 2 externref)
  (elem declare func $one)
  (func $one (result i32) (i32.const 1))
  (func (export "f") (result i32)
    (table.set $functions (i32.const 1) (ref.func $one))
    (table.set $values (i32.const 0) (ref.null extern))
    (i32.add
      (ref.is_null (table.get $values (i32.const 0)))
      (i32.add
        (table.size $functions)
        (call_indirect $functions (result i32) (i32.const 1))))))
