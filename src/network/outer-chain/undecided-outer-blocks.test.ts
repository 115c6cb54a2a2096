import { expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { createUndecidedOuterBlocks, type VerifiedOuterBlock } from './undecided-outer-blocks.ts';

const id = (name: string): Id => name.padEnd(64, '0') as Id;
const innerOf = (name: string, height = 1n): EngineBlock => ({ id: id(name), height }) as unknown as EngineBlock;
const outerOf = (name: string, inner: string): VerifiedOuterBlock => ({ outer: { id: id(name) }, inner: innerOf(inner) }) as never;

function create(reject: (block: Id) => void = () => {}) {
  const calls: string[] = [];
  const undecided = createUndecidedOuterBlocks({
    verify: (block) => void calls.push(`verify ${block.id.replace(/0+$/, '')}`),
    reject: (block) => {
      calls.push(`reject ${block.replace(/0+$/, '')}`);
      reject(block);
    },
  });
  return { ...undecided, calls };
}
const notProcessing = (): never => {
  throw new Fault('not processing', { code: 'BLOCK_NOT_PROCESSING' } as never);
};

test('an inner block is verified with the first outer block that holds it, and rejected with the last', () => {
  const { addVerified, reject, get, requireVerified, calls } = create();
  const [one, two] = [outerOf('o1', 'i'), outerOf('o2', 'i')];
  addVerified(one);
  addVerified(two);
  expect([calls, get(id('o1')), requireVerified(id('o2'))]).toEqual([['verify i'], one, two]);
  reject(id('o1'));
  expect([calls, get(id('o1'))]).toEqual([['verify i'], undefined]);
  reject(id('o2'));
  expect(calls).toEqual(['verify i', 'reject i']);
  addVerified(outerOf('o3', 'i'));
  expect(calls).toEqual(['verify i', 'reject i', 'verify i']);
});

test('an inner block that is invalid leaves no outer block behind', () => {
  const failure = new TypeError('invalid');
  const undecided = createUndecidedOuterBlocks({
    verify: () => {
      throw failure;
    },
    reject: () => {},
  });
  expect(() => undecided.addVerified(outerOf('o', 'i'))).toThrow(failure);
  expect(undecided.get(id('o'))).toBeUndefined();
});

test('a block that is not processing is refused', () => {
  const { requireVerified, reject } = create();
  for (const step of [requireVerified, reject])
    expect(() => step(id('ab'))).toThrow(expect.objectContaining({ fault: expect.objectContaining({ code: 'OUTER_NOT_PROCESSING' }) }));
});

test('accepted blocks are gone, without being rejected', () => {
  const { addVerified, removeAccepted, get, giveBack, calls } = create();
  const block = outerOf('o', 'i');
  addVerified(block);
  removeAccepted([block], 1n);
  expect([get(id('o')), calls]).toEqual([undefined, ['verify i']]);
  giveBack(id('i'));
  expect(calls).toEqual(['verify i', 'reject i']);
});

test('a block that was built here and not verified gives its transactions back when it is rejected', () => {
  const { addBuilt, addVerified, reject, removeBuilt, calls } = create();
  addBuilt(id('o'), innerOf('i'));
  reject(id('o'));
  expect([calls, removeBuilt(id('o'))]).toEqual([['reject i'], false]);
  addBuilt(id('o'), innerOf('i'));
  addVerified(outerOf('other', 'i'));
  reject(id('o'));
  expect(calls).toEqual(['reject i', 'verify i']);
  addBuilt(id('p'), innerOf('j'));
  expect([removeBuilt(id('p')), removeBuilt(id('p'))]).toEqual([true, false]);
});

test('transactions that were given back before are none; other errors are thrown', () => {
  const given = create(notProcessing);
  given.giveBack(id('i'));
  expect(given.calls).toEqual(['reject i']);
  const failure = new TypeError('disk');
  const failing = create(() => {
    throw failure;
  });
  expect(() => failing.giveBack(id('i'))).toThrow(failure);
  const otherFault = new Fault('other', { code: 'OTHER' } as never);
  const refusing = create(() => {
    throw otherFault;
  });
  expect(() => refusing.giveBack(id('i'))).toThrow(otherFault);
});

test('eight built blocks are remembered, and those up to the last accepted height forgotten', () => {
  const { addBuilt, removeBuilt, removeAccepted } = create();
  const names = Array.from({ length: 9 }, (_, i) => `b${i + 1}`);
  for (const [i, name] of names.entries()) addBuilt(id(name), innerOf(`i${name}`, BigInt(i)));
  expect(removeBuilt(id('b1'))).toBe(false);
  removeAccepted([], 3n);
  expect(names.filter((name) => removeBuilt(id(name)))).toEqual(['b5', 'b6', 'b7', 'b8', 'b9']);
});
