import { expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type SoloVm, startSolo } from './solo.ts';

/** A chain with numbered blocks and a queue of transactions, which records the calls of the engine. */
function fakeVm(queue: string[]) {
  const calls: string[] = [];
  const blocks = new Map<Id, EngineBlock>();
  let last = '0' as Id;
  let listener = () => {};
  const add = (...items: string[]) => {
    queue.push(...items);
    listener();
  };
  const vm: SoloVm = {
    lastAccepted: () => last,
    build: () => {
      const txs = queue.splice(0);
      if (txs.length === 0) return undefined;
      calls.push(`build ${txs.join('+')}`);
      return {
        id: `${Number(last) + 1}${txs.includes('bad') ? 'bad' : ''}` as Id,
        parentID: last,
        height: 1n,
        time: 0n,
        bytes: new Uint8Array(0),
      };
    },
    block: (id) => blocks.get(id),
    verify: (block) => {
      calls.push(`verify ${block.id}`);
      if (block.id.endsWith('bad')) throw new Error('bad block');
      blocks.set(block.id, block);
    },
    accept: ([id]) => {
      calls.push(`accept ${id}`);
      last = id as Id;
    },
    reject: () => {},
    setPreference: (id) => void calls.push(`prefer ${id}`),
    onWork: (run) => {
      listener = run;
    },
    waiting: () => queue.length,
  };
  return { vm, calls, add };
}

function fakeTimers() {
  const soon: (() => void)[] = [];
  const later: { ms: number; run: () => void }[] = [];
  let time = 0;
  const after = (ms: number, run: () => void) => {
    later.push({ ms, run });
    return () => {};
  };
  return {
    timers: {
      now: () => time,
      unixNanos: () => 1_000_250_000_000n,
      soon: (run: () => void) => void soon.push(run),
      after,
    },
    soon,
    later,
    /** Lets milliseconds pass, and runs the timers that were set. */
    pass: (ms: number) => {
      time += ms;
      for (const { run } of later.splice(0)) run();
    },
    turn: () => {
      for (const run of soon.splice(0)) run();
    },
  };
}

test('transactions that arrive together share a block, which is verified, preferred and accepted', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, turn } = fakeTimers();
  startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  add('a');
  add('b');
  expect(calls).toEqual([]);
  turn();
  expect(calls).toEqual(['build a+b', 'verify 1', 'prefer 1', 'accept 1', 'prefer 1']);
});

test('transactions that waited before the start are built into a block', () => {
  const { vm, calls } = fakeVm(['old']);
  const { timers, turn } = fakeTimers();
  startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  turn();
  expect(calls[0]).toBe('build old');
});

test('a block that fails verification is reported, and the engine retries after a delay', () => {
  const { vm, calls, add } = fakeVm([]);
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
  expect(calls.at(-2)).toBe('accept 1');
});

test('minBlockDelay counts from the parent’s time, and a stopped engine builds nothing', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, later, soon } = fakeTimers();
  const engine = startSolo(
    { ...vm, block: () => ({ id: '0' as Id, parentID: '0' as Id, height: 0n, time: 1000n, bytes: new Uint8Array(0) }) },
    { minBlockDelay: 500 },
    timers,
    () => {},
  );
  add('a');
  // The parent was built at 1000 s, and the clock shows 1000.25 s: half of the delay of 500 ms is left.
  expect(later.map(({ ms }) => ms)).toEqual([250]);
  engine.stop();
  later[0]?.run();
  expect(soon).toEqual([]);
  expect(calls).toEqual([]);
});

test('a block that cannot be stored is rejected, and its transactions are built again', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, turn, later } = fakeTimers();
  let isFull = true;
  const accept = (ids: readonly Id[]) => {
    if (isFull) throw new Error('disk full');
    vm.accept(ids);
  };
  const reject = (id: Id) => {
    calls.push(`reject ${id}`);
    add('a');
  };
  const { counters } = startSolo({ ...vm, accept, reject }, { minBlockDelay: 0 }, timers, () => {});
  add('a');
  turn();
  expect(calls.slice(2)).toEqual(['prefer 1', 'reject 1', 'prefer 0']);
  expect([counters.built, counters.accepted, counters.rejected]).toEqual([1, 0, 1]);
  isFull = false;
  later[0]?.run();
  expect(calls.at(-2)).toBe('accept 1');
  expect([counters.built, counters.accepted, counters.rejected]).toEqual([2, 1, 1]);
});

test('counts the blocks that it builds and decides, their bytes, and how long that takes', () => {
  const { vm, add } = fakeVm([]);
  const { timers, turn, pass } = fakeTimers();
  const build = () => {
    const block = vm.build();
    return block && { ...block, time: 999n, bytes: new Uint8Array(7) };
  };
  const accept = (ids: readonly Id[]) => {
    pass(30);
    vm.accept(ids);
  };
  const { counters } = startSolo({ ...vm, build, accept }, { minBlockDelay: 0 }, timers, () => {});
  for (const tx of ['a', 'bad', 'b']) {
    add(tx);
    turn();
    pass(1000);
  }
  expect(counters).toEqual({
    built: 3,
    buildsFailed: 1,
    // The clock shows 1,000.25 s, and blocks are of second 999.
    builtSkew: 3 * 1250,
    accepted: 2,
    acceptedBytes: 14,
    acceptedLatency: 60,
    acceptedLatencies: { bounds: [1e9, 2e9, 3e9, 4e9], counts: [2, 0, 0, 0, 0], sum: 60e6 },
    acceptedAge: 2 * 1250,
    rejected: 0,
    rejectedBytes: 0,
    rejectedLatency: 0,
  });
});

test('an error of accept and one of the following reject are both reported, in order', () => {
  const { vm, add } = fakeVm([]);
  const { timers, turn } = fakeTimers();
  const reported: string[] = [];
  const failing = (text: string) => () => {
    throw new Error(text);
  };
  const logError = (error: unknown) => void reported.push((error as Error).message);
  startSolo({ ...vm, accept: failing('disk full'), reject: failing('read error') }, { minBlockDelay: 0 }, timers, logError);
  add('a');
  turn();
  expect(reported).toEqual(['disk full', 'read error']);
});

test('a parent that cannot be read is reported and delays the block; adding a transaction does not throw', () => {
  const { vm, calls, add } = fakeVm([]);
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
  expect(calls.at(-2)).toBe('accept 1');
});

test('after a large block the engine gathers transactions until none arrives for 12 ms, up to a limit', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, turn, pass } = fakeTimers();
  startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  const many = (count: number) => Array.from({ length: count }, () => 'x');
  const blocks = () => calls.filter((step) => step.startsWith('build')).map((step) => step.split('+').length);
  add(...many(8));
  turn();
  add(...many(10));
  turn();
  expect(blocks()).toEqual([8]);
  pass(9);
  add(...many(20));
  pass(3);
  pass(9);
  expect(blocks()).toEqual([8]);
  pass(3);
  expect(blocks()).toEqual([8, 30]);
  add(...many(1));
  add(...many(449));
  pass(3);
  expect(blocks()).toEqual([8, 30, 450]);
  add(...many(450));
  turn();
  expect(blocks()).toEqual([8, 30, 450, 450]);
  add('x');
  pass(12);
  expect(blocks()).toEqual([8, 30, 450, 450, 1]);
  add('x');
  turn();
  expect(blocks()).toEqual([8, 30, 450, 450, 1, 1]);
});

test('while a few transactions arrive all the time, the engine builds after 110 ms', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, turn, pass } = fakeTimers();
  startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  add(...Array.from({ length: 8 }, () => 'x'));
  turn();
  add('x');
  for (let ms = 0; ms < 108; ms += 9) {
    pass(9);
    add('x');
  }
  expect(calls.filter((step) => step.startsWith('build'))).toHaveLength(1);
  pass(3);
  expect(calls.filter((step) => step.startsWith('build'))).toHaveLength(2);
});

test('without automine a block is built only by mine, which returns it', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, turn, soon } = fakeTimers();
  const engine = startSolo(vm, { minBlockDelay: 0, policy: { automine: false, interval: 0 } }, timers, () => {});
  add('a');
  expect(soon).toEqual([]);
  expect(engine.mine()?.id).toBe('1' as Id);
  expect(calls[0]).toBe('build a');
  expect(engine.mine()).toBeUndefined();
  add('b');
  engine.setPolicy({ automine: true, interval: 0 });
  turn();
  expect(calls).toContain('build b');
});

test('mine throws why a block could not be accepted, and schedules no retry', () => {
  const { vm, add } = fakeVm([]);
  const { timers, later } = fakeTimers();
  const engine = startSolo(vm, { minBlockDelay: 0, policy: { automine: false, interval: 0 } }, timers, () => {});
  add('bad');
  expect(() => engine.mine()).toThrow('bad block');
  expect(later).toEqual([]);
});

test('with an interval a block is built at each tick that finds transactions, until the interval is changed or the engine stops', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, later } = fakeTimers();
  const engine = startSolo(vm, { minBlockDelay: 0, policy: { automine: false, interval: 2000 } }, timers, () => {});
  expect(later.map(({ ms }) => ms)).toEqual([2000]);
  later[0]?.run();
  expect(calls).toEqual([]);
  add('a', 'b');
  expect(calls).toEqual([]);
  later[1]?.run();
  expect(calls[0]).toBe('build a+b');
  engine.setPolicy({ automine: false, interval: 500 });
  expect(later.map(({ ms }) => ms)).toEqual([2000, 2000, 2000, 500]);
  engine.stop();
  later[3]?.run();
  expect(later).toHaveLength(4);
});

test('a scheduled build does not run after automine was turned off', () => {
  const { vm, calls, add } = fakeVm([]);
  const { timers, turn } = fakeTimers();
  const engine = startSolo(vm, { minBlockDelay: 0 }, timers, () => {});
  add('a');
  engine.setPolicy({ automine: false, interval: 0 });
  turn();
  expect(calls).toEqual([]);
});
