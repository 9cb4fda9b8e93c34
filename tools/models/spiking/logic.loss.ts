/** The loss of a logic tensor network: how far facts and rules are from being satisfied. */
import * as tf from '@tensorflow/tfjs-core';
import { RULES, satisfactions } from '#engines/spiking/models/logic.rules.js';
import { truthsOf } from '#engines/spiking/models/neuro-symbolic-ltn.model.js';
import type { NativeLoss } from './recipe.js';

/** Predicates of which examples are given. */
const KINDS = 6;

/**
 * `1 - sqrt(mean((1 - truth)^2))` over some things of a batch: "for all", by the p-mean error with
 * p = 2 (Badreddine et al., 2022). `[formulas]` from truths and shares `[things, formulas]`, where
 * the shares of a formula sum to 1 over the things that it speaks of.
 */
const forAll = (truths: tf.Tensor, shares: tf.Tensor): tf.Tensor => {
  const squares = tf.sum(tf.mul(tf.square(tf.sub(1, truths)), shares), 0);
  // The square root, whose gradient at 0 would be infinite.
  return tf.sub(1, tf.exp(tf.mul(tf.log(tf.add(squares, 1e-6)), 0.5)));
};

/** 1 where the thing is of the kind, `[things, KINDS]`. */
const kindsOf = (labels: Int32Array): tf.Tensor => {
  const rows = Array.from(labels).flatMap((label) =>
    Array.from({ length: KINDS }, (_, kind) => (kind === label ? 1 : 0)),
  );
  return tf.tensor(rows, [labels.length, KINDS]);
};

const sharesOf = (chosen: tf.Tensor): tf.Tensor =>
  tf.div(chosen, tf.maximum(tf.sum(chosen, 0, true), 1));

/**
 * Mean dissatisfaction of "every thing of the kind is one", "no other thing is one" and all rules.
 * The two facts are formulas of their own: one formula would be mostly true of a predicate that
 * never holds.
 */
export const logicLoss: NativeLoss = (ops, x, labels) => {
  const things = labels.length;
  const properties = tf.reshape(x, [1, things, x.size / things]);
  const truths = tf.sigmoid(truthsOf<tf.Tensor>(ops, properties).logits);
  const kinds = tf.reshape(tf.slice(truths, [0, 0, 0], [1, things, KINDS]), [things, KINDS]);
  const are = kindsOf(labels);
  const rules = tf.reshape(satisfactions<tf.Tensor>(ops, truths), [things, RULES.length]);
  const held = tf.concat(
    [
      forAll(kinds, sharesOf(are)),
      forAll(tf.sub(1, kinds), sharesOf(tf.sub(1, are))),
      forAll(rules, sharesOf(tf.ones(rules.shape))),
    ],
    0,
  );
  return tf.sub(1, tf.mul(tf.sum(held, 0), 1 / held.size));
};
