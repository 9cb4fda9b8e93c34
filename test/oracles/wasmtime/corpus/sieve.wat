;; call f 1000
(module
  (memory 16)
  (func (export "f") (param $limit i32) (result i32)
    (local $at i32) (local $multiple i32) (local $primes i32)
    (memory.fill (i32.const 0) (i32.const 0) (local.get $limit))
    (local.set $at (i32.const 2))
    (loop $next
      (if (i32.eqz (i32.load8_u (local.get $at)))
        (then
          (local.set $primes (i32.add (local.get $primes) (i32.const 1)))
          (local.set $multiple (i32.shl (local.get $at) (i32.const 1)))
          (block $done
            (loop $strike
              (br_if $done (i32.ge_u (local.get $multiple) (local.get $limit)))
              (i32.store8 (local.get $multiple) (i32.const 1))
              (local.set $multiple (i32.add (local.get $multiple) (local.get $at)))
              (br $strike)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $limit))))
    (local.get $primes)))
