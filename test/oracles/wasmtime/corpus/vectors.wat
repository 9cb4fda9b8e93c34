;; call f
(module
  (memory 1)
  (func (export "f") (result i32)
    (v128.store (i32.const 0) (v128.const i32x4 1 2 3 4))
    (i32x4.extract_lane 2
      (i32x4.add
        (v128.const i32x4 1 2 3 4)
        (v128.load8_lane 3 (i32.const 4)
          (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
            (v128.load32_zero (i32.const 0))
            (i8x16.relaxed_swizzle (v128.load (i32.const 0)) (v128.const i64x2 0 0))))))))
