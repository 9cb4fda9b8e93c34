;; call f 100000
;; call f 3
(module
  (func (export "f") (param i32) (result i64)
    (local i64)
    (loop $again
      (local.set 1 (i64.add (local.get 1) (i64.extend_i32_u (local.get 0))))
      (br_if $again (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
    (local.get 1)))
