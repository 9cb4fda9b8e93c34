;; call f
(module
  (memory (export "memory") 1)
  (func (export "f")
    (if (i32.eq (memory.grow (i32.const 100)) (i32.const -1)) (then (unreachable)))))
