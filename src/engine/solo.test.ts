import { expect, test } from 'bun:test';
import type { Id } from '../bytes/id.ts';
import { startSolo } from './solo.ts';
import type { EngineBlock, Vm } from './vm.ts';

/** A chain of numbered blocks over a queue of work, recording what the engine asks of it. */
function fakeVm(work: string[]) {
  const asked: string[] = [];
  const blocks = new Map<Id, EngineBlock>();
  let last = '0' as Id;
  let listener = () => {};
  const add = (...items: string[]) => {
    work.push(...items);
    listener();
  };
  const vm: Vm = {
    lastAccepted: () => last,
    build: () => {
      const bad = work.splice(0);
      if (bad.length === 0) return undefined;
      asked.push(`build ${bad.join('+')}`);
      return {
        id: `${Number(last) + 1}${bad.includes('bad') ? 'bad' : ''}` as Id,
        parentID: last,
        height: 1n,
        time: 0n,
        bytes: new Uint8Array(0),
      };
    },
    parse: () => {
      throw new Error('not asked for');
    },
    block: (id) => blocks.get(id),
    verify: (block) => {
      asked.push(`verify ${block.id}`);
      if (block.id.endsWith('bad')) throw new Error('bad block');
      blocks.set(block.id, block);
    },
    accept: (id) => {
      asked.push(`accept ${id}`);
      last = id;
    },
    reject: () => {},
    setPreference: (id) => void asked.push(`prefer ${id}`),
    onWork: (run) => {
      listener = run;
    },
    waiting: () => work.length,
  };
  return { vm, asked, add };
}

function fakeTimers() {
  const soon: (() => void)[] = [];
  const later: { ms: number; run: () => void }[] = [];
  const after = (ms: number, run: () => void) => {
    later.push({ ms, run });
    return () => {};
  };
  return {
    timers: {
      now: () => 0,
      unix: () => 1000n,
      soon: (run: () => void) => void soon.push(run),
      after,
    },
    soon,
    later,
    turn: () => {
      for (const run of soon.splice(0)) run();
    },
  };
}

test('what arrives together shares a block, which is verified, preferred, accepted', () => {
  const { vm, asked, add } = fakeVm([]);
  const { timers, turn } = fakeTimers();
  startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  add('a');
  add('b');
  expect(asked).toEqual([]);
  turn();
  expect(asked).toEqual(['build a+b', 'verify 1', 'prefer 1', 'accept 1', 'prefer 1']);
});

test('work that was there before the start is built too', () => {
  const { vm, asked } = fakeVm(['old']);
  const { timers, turn } = fakeTimers();
  startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  turn();
  expect(asked[0]).toBe('build old');
});

test('a block that fails is reported, and the engine goes on after a while', () => {
  const { vm, asked, add } = fakeVm([]);
  const { timers, turn, later } = fakeTimers();
  const reported: unknown[] = [];
  startSolo(vm, { minBlockDelay: 0 }, timers, (error) => void reported.push(error));
  add('bad');
  turn();
  expect(reported).toHaveLength(1);
  add('good');
  turn();
  expect(later).toHaveLength(1);
  later[0]?.run();
  expect(asked.at(-2)).toBe('accept 1');
});

test('a minimum delay waits from the parent’s time, and a stopped engine builds nothing', () => {
  const { vm, asked, add } = fakeVm([]);
  const { timers, later, soon } = fakeTimers();
  const engine = startSolo(
    { ...vm, block: () => ({ id: '0' as Id, parentID: '0' as Id, height: 0n, time: 1000n, bytes: new Uint8Array(0) }) },
    { minBlockDelay: 500 },
    timers,
    () => {},
  );
  add('a');
  expect(later.map(({ ms }) => ms)).toEqual([500]);
  engine.stop();
  later[0]?.run();
  expect(soon).toEqual([]);
  expect(asked).toEqual([]);
});

test('a block that cannot be stored is rejected, so that its transactions wait for another try', () => {
  const { vm, asked, add } = fakeVm([]);
  const { timers, turn, later } = fakeTimers();
  let isFull = true;
  const accept = (id: Id) => {
    if (isFull) throw new Error('disk full');
    vm.accept(id);
  };
  const reject = (id: Id) => {
    asked.push(`reject ${id}`);
    add('a');
  };
  startSolo({ ...vm, accept, reject }, { minBlockDelay: 0 }, timers, () => {});
  add('a');
  turn();
  expect(asked.slice(2)).toEqual(['prefer 1', 'reject 1', 'prefer 0']);
  isFull = false;
  later[0]?.run();
  expect(asked.at(-2)).toBe('accept 1');
});

test('an error while rejecting does not hide why the block was rejected: both are reported, in order', () => {
  const { vm, add } = fakeVm([]);
  const { timers, turn } = fakeTimers();
  const reported: string[] = [];
  const failing = (text: string) => () => {
    throw new Error(text);
  };
  const report = (error: unknown) => void reported.push((error as Error).message);
  startSolo({ ...vm, accept: failing('disk full'), reject: failing('read error') }, { minBlockDelay: 0 }, timers, report);
  add('a');
  turn();
  expect(reported).toEqual(['disk full', 'read error']);
});

test('a parent that cannot be read delays the block; whoever brought the work sees no error', () => {
  const { vm, asked, add } = fakeVm([]);
  const { timers, later } = fakeTimers();
  const reported: unknown[] = [];
  const broken = new Error('read error');
  const block = () => {
    throw broken;
  };
  startSolo({ ...vm, block }, { minBlockDelay: 500 }, timers, (error) => void reported.push(error));
  add('a');
  expect(reported).toEqual([broken]);
  later[0]?.run();
  expect(asked.at(-2)).toBe('accept 1');
});

test('after a block of many the engine gathers while more arrive, until there are enough', () => {
  const { vm, asked, add } = fakeVm([]);
  const { timers, turn, later } = fakeTimers();
  const look = () => later.splice(0).forEach(({ run }) => void run());
  startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  const many = (count: number) => Array.from({ length: count }, () => 'x');
  const blocks = () => asked.filter((step) => step.startsWith('build')).map((step) => step.split('+').length);
  add(...many(8));
  turn();
  add(...many(10));
  turn();
  expect(blocks()).toEqual([8]);
  add(...many(20));
  look();
  expect(blocks()).toEqual([8]);
  look();
  expect(blocks()).toEqual([8, 30]);
  add(...many(1));
  add(...many(99));
  look();
  expect(blocks()).toEqual([8, 30, 100]);
  add('x');
  look();
  expect(blocks()).toEqual([8, 30, 100, 1]);
  add('x');
  turn();
  expect(blocks()).toEqual([8, 30, 100, 1, 1]);
});
