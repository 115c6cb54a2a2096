import { expect, test } from 'bun:test';
import { createObjectSlot } from './object-slot.ts';

test('a slot holds one value per object, and slots are independent of each other', () => {
  const [names, counts] = [createObjectSlot<object, string>(), createObjectSlot<object, number>()];
  const [a, b] = [{ id: 1 }, { id: 1 }];
  names.set(a, 'a');
  counts.set(a, 1);
  counts.set(a, 2);
  expect([names.get(a), counts.get(a), names.get(b), counts.get(b)]).toEqual(['a', 2, undefined, undefined]);
  names.set(a, undefined);
  expect([names.get(a), counts.get(a)]).toEqual([undefined, 2]);
});

test('a value is not part of its object: copies, comparisons and JSON do not have it', () => {
  const slot = createObjectSlot<object, string>();
  const object: { id: number } = { id: 1 };
  slot.set(object, 'secret');
  expect(slot.get({ ...object })).toBeUndefined();
  expect(slot.get(structuredClone(object))).toBeUndefined();
  expect(object).toEqual({ id: 1 });
  expect([JSON.stringify(object), Reflect.ownKeys(object)]).toEqual(['{"id":1}', ['id']]);
});

test('frozen objects and bytes can have values', () => {
  const slot = createObjectSlot<object, number>();
  const [frozen, bytes] = [Object.freeze({ id: 1 }), new Uint8Array(3)];
  slot.set(frozen, 1);
  slot.set(bytes, 2);
  expect([slot.get(frozen), slot.get(bytes), bytes.length]).toEqual([1, 2, 3]);
});

test('a value is released with its object', () => {
  const slot = createObjectSlot<object, object>();
  const refs = Array.from({ length: 100 }, () => {
    const value = { big: new Uint8Array(10) };
    slot.set({}, value);
    return new WeakRef(value);
  });
  Bun.gc(true);
  // Some may still be referenced by the stack.
  return Bun.sleep(0).then(() => {
    Bun.gc(true);
    expect(refs.filter((ref) => ref.deref() === undefined).length).toBeGreaterThan(90);
  });
});
