;; call indirect 0
;; call indirect 1
;; call indirect 2
;; call indirect 9
;; call tail 10
;; call tail-indirect 4
;; call deep 100
(module
  (type $unary (func (param i32) (result i32)))
  (table $table 5 funcref)
  (elem (i32.const 0) $double $count)
  (func $double (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func $count (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (return_call $count (i32.sub (local.get 0) (i32.const 1))))
      (else (i32.const 5))))
  (func $deep (export "deep") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0))))
  (func (export "indirect") (param i32) (result i32)
    (call_indirect $table (type $unary) (i32.const 3) (local.get 0)))
  (func (export "tail") (param i32) (result i32) (return_call $count (local.get 0)))
  (func (export "tail-indirect") (param i32) (result i32)
    (return_call_indirect $table (type $unary) (local.get 0) (i32.const 1))))
