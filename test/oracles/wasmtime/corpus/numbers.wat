;; call f 9
(module
  (global $total (mut f64) (f64.const 0.5))
  (func (export "f") (param i64) (result i64)
    (local f32)
    (local.set 1 (f32.convert_i64_u (local.get 0)))
    (global.set $total (f64.add (global.get $total) (f64.promote_f32 (f32.sqrt (local.get 1)))))
    (i64.add
      (i64.trunc_sat_f64_s (global.get $total))
      (i64.extend8_s (i64.const 200)))))
