;; call table 0
;; call table 1
;; call table 9
;; call nested 4
;; call early 1
;; call early 0
(module
  (func (export "table") (param i32) (result i32)
    (block $a (block $b (block $c (br_table $a $b $c (local.get 0)))
      (return (i32.const 1)))
      (drop (i32.const 2)))
    (i32.const 9))
  (func (export "nested") (param i32) (result i32)
    (local $sum i32) (local $inner i32)
    (block $out
      (loop $outer
        (br_if $out (i32.eqz (local.get 0)))
        (local.set $inner (i32.const 3))
        (loop $again
          (local.set $sum (i32.add (local.get $sum) (local.get $inner)))
          (br_if $again (local.tee $inner (i32.sub (local.get $inner) (i32.const 1)))))
        (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
        (br $outer)))
    (local.get $sum))
  (func (export "early") (param i32) (result i32)
    (nop)
    (if (local.get 0) (then (br 1 (i32.const 4))))
    (if (i32.eqz (local.get 0)) (then (nop)) (else (unreachable)))
    (select (i32.const 5) (i32.const 6) (local.get 0))))
