import { expect, test } from 'bun:test';
import fc from 'fast-check';
import scenario from '../../vectors/scenario-txs.json' with { type: 'json' };
import { maxU64 } from '../bytes/octets.ts';
import { CodecError } from '../codec/fault.ts';
import { recoverNative } from '../crypto/curve-native.ts';
import { createSignerCache } from '../crypto/recover.ts';
import { diffOn } from '../state/diff.ts';
import type { View } from '../state/view.ts';
import { effectsOf } from '../tx/effects.ts';
import { makeTx, parseTx, type Tx } from '../tx/tx.ts';
import { TxError } from './fault.ts';
import { createLedger, localContext, type Put, putAll, txOf, verify } from './ledger.fixture.ts';

const context = { ...localContext, recover: createSignerCache(recoverNative).recover };

/** Every accepted transaction of the scenario with the ledger it met. */
const accepted = (() => {
  const ledger = createLedger(scenario.genesisTx);
  const out: { tx: Tx; view: View }[] = [];
  let view = ledger.view;
  for (const step of scenario.steps) {
    if (step.tx === undefined) putAll(ledger, step.sharedMemoryPut as Put[]);
    if (step.tx === undefined || step.message !== undefined) continue;
    const tx = txOf(step.tx);
    out.push({ tx, view });
    const next = diffOn(view);
    next.apply(tx, effectsOf(tx));
    view = next;
  }
  return out;
})();

const isSigned = (tx: Tx) => tx.credentials.some((one) => 'signatures' in one && one.signatures.length > 0);

/** A signature covers the whole transaction: whatever is changed, the change is refused, and by a fault that says why. */
function expectRefused(which: number, mutate: (original: Tx) => Tx): void {
  const { tx: original, view } = accepted[which] as { tx: Tx; view: View };
  try {
    const tx = mutate(original);
    if (tx.id === original.id) return;
    verify(tx, view, context);
    expect(isSigned(original)).toBe(false);
  } catch (error) {
    if (!(error instanceof TxError || error instanceof CodecError)) throw error;
    expect(error.fault.code).toMatch(/^(TX|SIGNATURE|CODEC)_[A-Z_]+$/);
  }
}

/** By position, so that a failure's report is short. */
const anyAccepted = fc.nat(accepted.length - 1);

test('a transaction with one field changed is refused by a fault of ours', () => {
  fc.assert(
    fc.property(anyAccepted, fc.nat(), fc.nat(), fc.bigInt(0n, maxU64), (which, place, way, noise) =>
      expectRefused(which, (tx) => {
        const { unsigned, credentials } = structuredClone({ unsigned: tx.unsigned, credentials: tx.credentials });
        const slots = slotsOf({ unsigned, credentials });
        const slot = slots[place % slots.length] as Slot;
        slot.set(changed(slot.key, slot.value, way, noise));
        return makeTx(unsigned, credentials);
      }),
    ),
    { numRuns: 4000 },
  );
});

test('a transaction with one byte changed, cut off or added is refused by a fault of ours', () => {
  fc.assert(
    fc.property(anyAccepted, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(19), (which, at, flip, way) =>
      expectRefused(which, (tx) => {
        const bytes = Uint8Array.from(tx.bytes);
        bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ flip;
        if (way === 0) return parseTx(tx.bytes.subarray(0, at % bytes.length));
        return parseTx(way === 1 ? Buffer.concat([tx.bytes, bytes.subarray(0, flip)]) : bytes);
      }),
    ),
    { numRuns: 4000 },
  );
});

type Slot = { readonly key: string; readonly value: unknown; readonly set: (value: unknown) => void };

/** Every place in a value that can hold another: numbers, ids, bytes and lists, kinds left out. */
function slotsOf(node: object): Slot[] {
  return Object.entries(node).flatMap(([key, value]): Slot[] => {
    if (key === 'kind') return [];
    const slot = { key, value, set: (other: unknown) => Reflect.set(node, key, other) };
    if (typeof value !== 'object' || value instanceof Uint8Array) return [slot];
    return Array.isArray(value) ? [slot, ...slotsOf(value)] : slotsOf(value as object);
  });
}

function changed(key: string, value: unknown, way: number, noise: bigint): unknown {
  if (typeof value === 'bigint') return pick(way, [0n, maxU64, (value + 1n) & maxU64, (value - 1n) & maxU64, noise]);
  if (typeof value === 'number')
    return key === 'denomination' ? way % 256 : pick(way, [0, (value ^ 1) >>> 0, (value + 1) >>> 0, 2 ** 32 - 1, way >>> 0]);
  if (typeof value === 'string')
    return pick(way, [value.replace(/./g, '0'), noise.toString(16).padStart(value.length, '0'), [...value].reverse().join('')]);
  if (value instanceof Uint8Array)
    return value.length === 65 ? value.toReversed() : pick(way, [new Uint8Array(way % 2000), value.subarray(1)]);
  const list = value as unknown[];
  return pick(way, [[], list.slice(1), [...list, ...list.slice(0, 1)], list.toReversed(), [...list, ...list]]);
}

const pick = <T>(way: number, choices: readonly T[]): T => choices[way % choices.length] as T;
