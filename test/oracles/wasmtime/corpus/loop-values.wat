;; call f 5
(module
  (func (export "f") (param i64) (result i64)
    i64.const 1
    local.get 0
    (loop $again (param i64 i64) (result i64)
      local.set 0
      local.get 0
      i64.mul
      local.get 0
      i64.const 1
      i64.sub
      local.get 0
      i64.const 2
      i64.ge_s
      br_if $again
      drop)))
