import { describe, expect, test } from 'bun:test';
import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Chain } from '../../chain/lifecycle/chain.ts';
import { makeSignedBlock, makeUnsignedBlock, type OuterBlock, parseOuterBlock } from '../proposervm/outer-block.ts';
import { createProposerSchedule } from '../proposervm/proposer.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';
import {
  acceptBlock,
  anyoneProposes,
  codeOf,
  createIssuer,
  createProposer,
  extend,
  openOuterChain,
  randomId,
  type TestChain,
  testClock,
} from './outer-chain.fixture.ts';

const outerOf = ({ bytes }: EngineBlock): OuterBlock => parseOuterBlock(bytes);

describe('without validators', () => {
  test('a node builds unsigned blocks, the first without epoch, and another node accepts them', () => {
    const clock = testClock();
    const [a, b] = [openOuterChain(clock), openOuterChain(clock)];
    const issue = createIssuer();
    const heights: (bigint | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      const block = extend(a, issue());
      heights.push(outerOf(block).epoch?.number);
      acceptBlock(b.vm, b.vm.parse(block.bytes));
      clock.ms += 16_000;
    }
    // The epoch of block 2 begins at the time of block 1; the first block at or after its end belongs to it.
    expect(heights).toEqual([undefined, 1n, 1n, 2n]);
    expect(b.vm.lastAccepted()).toBe(a.vm.lastAccepted());
    expect(b.state.lastAccepted()).toEqual(a.state.lastAccepted());
    expect(a.vm.block(a.vm.lastAccepted())).toMatchObject({ height: 4n });
  });

  test('the first block may be built at once, later ones after the delay since the parent’s timestamp', () => {
    const clock = testClock();
    const chain = openOuterChain(clock);
    expect(chain.vm.nextBuildTime()).toBe(0);
    extend(chain, createIssuer()());
    expect(chain.vm.nextBuildTime()).toBe(clock.ms + 1000);
    chain.vm.setBootstrapping(true);
    expect([chain.vm.nextBuildTime(), chain.vm.build()]).toEqual([undefined, undefined]);
  });

  test('headers that break a rule are refused', () => {
    const clock = testClock();
    const chain = openOuterChain(clock);
    const issue = createIssuer();
    extend(chain, issue());
    chain.chain.issue(issue());
    const good = outerOf(chain.vm.build()!);
    const signer = createProposer();
    const wrap = (change: Partial<OuterBlock>) => chain.vm.parse(makeUnsignedBlock({ ...good, ...change }).bytes);
    const code = (change: Partial<OuterBlock>) => codeOf(() => chain.vm.verify(wrap(change)));
    const epoch = good.epoch!;
    expect(code({ parentID: randomId() })).toBe('OUTER_PARENT_UNKNOWN');
    expect(code({ timestamp: good.timestamp - 1n })).toBe('OUTER_EARLIER_THAN_PARENT');
    expect(code({ timestamp: good.timestamp + 11n })).toBe('OUTER_TOO_FAR_AHEAD');
    expect(code({ epoch: { ...epoch, number: 2n } })).toBe('OUTER_EPOCH_MISMATCH');
    expect(code({ epoch: undefined })).toBe('OUTER_EPOCH_MISMATCH');
    const signed = makeSignedBlock(good, chain.state.id, signer.certificate, signer.sign);
    expect(codeOf(() => chain.vm.verify(chain.vm.parse(signed.bytes)))).toBe('OUTER_SIGNED_WITHOUT_VALIDATORS');
    expect(codeOf(() => chain.vm.verify(chain.vm.parse(good.inner)))).toBe('OUTER_UNWRAPPED');
    chain.vm.setBootstrapping(true);
    expect(code({ epoch: { ...epoch, number: 2n } })).toBe('none');
  });

  test('bytes that are no block are refused with the reason of the wrapper', () => {
    const { vm, state } = openOuterChain(testClock());
    expect(codeOf(() => vm.parse(Uint8Array.of(0, 0, 0, 0, 0, 1, 2)))).toBe('CODEC_WRONG_TYPE');
    const signer = createProposer();
    const parts = { parentID: randomId(), timestamp: 1n, pChainHeight: 0n, epoch: undefined, inner: state.blockAt(0n) as Uint8Array };
    const forged = makeSignedBlock(parts, randomId(), signer.certificate, signer.sign);
    expect(codeOf(() => vm.parse(forged.bytes))).toBe('OUTER_BAD_SIGNATURE');
    expect(vm.parse(parts.inner).height).toBe(0n);
  });

  test('a block is independent of the buffer it was decoded from', () => {
    const clock = testClock();
    const [a, b] = [openOuterChain(clock), openOuterChain(clock)];
    const built = extend(a, createIssuer()());
    const message = Uint8Array.from(built.bytes);
    const block = b.vm.parse(message);
    message.fill(0);
    acceptBlock(b.vm, block);
    expect(b.vm.blockBytes(built.id)).toEqual(built.bytes);
  });
});

describe('with validators', () => {
  /** Two nodes that share a clock and a validator set. */
  function twoValidators() {
    const clock = testClock();
    const proposers = [createProposer(), createProposer()] as const;
    const set: ValidatorSet = new Map(proposers.map(({ nodeId }) => [nodeId, 100n]));
    const validators = { ...anyoneProposes, at: () => set, proposedHeight: () => 3n, knownHeight: () => 5n };
    const open = (proposer: (typeof proposers)[number]) => openOuterChain(clock, { validators, proposer });
    const chains = proposers.map(open) as [TestChain, TestChain];
    const issue = createIssuer();
    const first = extend(chains[0], issue());
    acceptBlock(chains[1].vm, chains[1].vm.parse(first.bytes));
    const schedule = createProposerSchedule(
      chains[0].state.id,
      [...set].map(([nodeId, weight]) => ({ nodeId, weight })),
    );
    return { clock, proposers, chains, issue, schedule, first };
  }

  test('a node builds only in its slots, signed, and the other verifies it', () => {
    const { clock, proposers, chains, issue, schedule, first } = twoValidators();
    expect(outerOf(first)).toMatchObject({ pChainHeight: 3n, proposer: undefined });
    expect([openOuterChain(clock), ...chains].map(({ vm }) => vm.acceptedPChainHeight())).toEqual([undefined, 3n, 3n]);
    let parent = first;
    for (let height = 2n; height < 8n; height++) {
      const tx = issue();
      for (const { chain } of chains) chain.issue(tx);
      const times = chains.map(({ vm }) => vm.nextBuildTime() as number);
      const next = times[0]! < times[1]! ? 0 : 1;
      clock.ms = Math.max(clock.ms, times[next]!);
      const slot = BigInt(Math.floor((clock.ms / 1000 - Number(parent.time)) / 5));
      expect(schedule.proposerOf(height, slot)).toBe(proposers[next]!.nodeId);
      expect(chains[1 - next]!.vm.build()).toBeUndefined();
      const block = chains[next]!.vm.build()!;
      expect(outerOf(block).proposer).toBe(proposers[next]!.nodeId);
      for (const { vm } of chains) acceptBlock(vm, vm.parse(block.bytes));
      parent = block;
    }
    expect(chains[0].vm.lastAccepted()).toBe(chains[1].vm.lastAccepted());
  });

  test('blocks of the wrong proposer, unsigned ones and wrong P-Chain heights are refused', () => {
    const { clock, proposers, chains, issue, schedule, first } = twoValidators();
    const [chain] = chains;
    const slot = schedule.firstSlotOf(2n, proposers[0].nodeId, 0n, 100n) as bigint;
    clock.ms = (Number(first.time) + Number(slot) * 5) * 1000;
    chain.chain.issue(issue());
    const good = outerOf(chain.vm.build()!);
    const sign = (by: 0 | 1, change: Partial<OuterBlock> = {}) =>
      makeSignedBlock({ ...good, ...change }, chain.state.id, proposers[by].certificate, proposers[by].sign);
    const code = ({ bytes }: OuterBlock) => codeOf(() => chain.vm.verify(chain.vm.parse(bytes)));
    expect(code(sign(1))).toBe('OUTER_UNEXPECTED_PROPOSER');
    expect(code(makeUnsignedBlock(good))).toBe('OUTER_UNEXPECTED_PROPOSER');
    expect(code(sign(0, { pChainHeight: 2n }))).toBe('OUTER_P_CHAIN_HEIGHT_DECREASES');
    expect(code(sign(0, { pChainHeight: 6n }))).toBe('OUTER_P_CHAIN_HEIGHT_UNKNOWN');
    const foreignSlot = [1n, 2n, 3n, 4n, 5n, 6n, 7n].map((n) => n + slot).find((n) => schedule.proposerOf(2n, n) !== proposers[0].nodeId)!;
    clock.ms += 60_000;
    expect(code(sign(0, { timestamp: first.time + foreignSlot * 5n }))).toBe('OUTER_UNEXPECTED_PROPOSER');
    expect(code(sign(0))).toBe('none');
  });

  test('the set is loaded by preverify; without it a block is refused, but not forgotten', async () => {
    const clock = testClock();
    const loaded = new Map<bigint, ValidatorSet>();
    const asked: bigint[] = [];
    const validators: Pick<Validators, 'at' | 'load' | 'proposedHeight' | 'knownHeight'> = {
      at: (height) => loaded.get(height),
      load: async (height) => {
        asked.push(height);
        loaded.set(height, new Map());
      },
      proposedHeight: () => 4n,
      knownHeight: () => 4n,
    };
    const [a, b] = [openOuterChain(clock), openOuterChain(clock, { validators })];
    const issue = createIssuer();
    acceptBlock(b.vm, b.vm.parse(extend(a, issue()).bytes));
    const next = b.vm.parse(extend(a, issue()).bytes);
    expect(codeOf(() => b.vm.verify(next))).toBe('OUTER_VALIDATORS_NOT_LOADED');
    await b.vm.preverify(next);
    acceptBlock(b.vm, next);
    expect([asked, b.vm.lastAccepted()]).toEqual([[0n], a.vm.lastAccepted()]);
    loaded.clear();
    expect(b.vm.nextBuildTime()).toBe(clock.ms + 1000);
    expect(asked).toEqual([0n, 0n]);
  });

  test('the transactions of a block are preverified, and the set at its height is loaded, only if its header passes', async () => {
    const clock = testClock();
    const [validator, stranger] = [createProposer(), createProposer()];
    const set: ValidatorSet = new Map([[validator.nodeId, 5n]]);
    const work: unknown[] = [];
    const a = openOuterChain(clock);
    const b = openOuterChain(clock, {
      validators: { ...anyoneProposes, at: (height) => (height === 0n ? set : undefined), load: async (height) => void work.push(height) },
      wrapInner: (inner) => ({ ...inner, preverify: async () => void work.push('transactions') }),
    });
    const issue = createIssuer();
    acceptBlock(b.vm, b.vm.parse(extend(a, issue()).bytes));
    const next = { ...outerOf(extend(a, issue())), pChainHeight: 7n };
    const signedBy = ({ certificate, sign }: typeof validator) => b.vm.parse(makeSignedBlock(next, b.state.id, certificate, sign).bytes);
    await b.vm.preverify(signedBy(stranger));
    await b.vm.preverify(b.vm.parse(next.inner));
    expect([codeOf(() => b.vm.verify(signedBy(stranger))), work]).toEqual(['OUTER_UNEXPECTED_PROPOSER', []]);
    await b.vm.preverify(signedBy(validator));
    expect(work).toEqual([7n, 'transactions']);
  });

  test('a node that is no validator never builds; one with a small weight searches a bounded number of slots', () => {
    const clock = testClock();
    const proposer = createProposer();
    const other = 'ff'.repeat(20) as NodeId;
    const atHeight = (set: ValidatorSet) => ({ ...anyoneProposes, at: () => set });
    const outsider = openOuterChain(clock, { proposer, validators: atHeight(new Map([[other, 5n]])) });
    const small = openOuterChain(clock, {
      proposer,
      validators: atHeight(
        new Map([
          [other, 10n ** 15n],
          [proposer.nodeId, 1n],
        ]),
      ),
    });
    const issue = createIssuer();
    const tx = issue();
    for (const chain of [outsider, small]) extend(chain, tx);
    expect(outsider.vm.nextBuildTime()).toBeUndefined();
    expect(small.vm.nextBuildTime()).toBe(clock.ms + 32 * 5000);
    small.chain.issue(issue());
    expect([small.vm.build(), small.vm.waiting()]).toEqual([undefined, 1]);
  });
});

describe('several outer blocks of one inner block', () => {
  /** Two outer blocks with the same inner block, and the number of calls of the inner Vm. */
  function siblings() {
    const clock = testClock();
    const a = openOuterChain(clock);
    const calls: string[] = [];
    const countCalls = (chain: Chain): Chain => ({
      ...chain,
      verify: (block) => {
        calls.push('verify');
        chain.verify(block);
      },
      reject: (id) => {
        calls.push('reject');
        chain.reject(id);
      },
    });
    const b = openOuterChain(clock, { wrapInner: countCalls });
    const issue = createIssuer();
    acceptBlock(b.vm, b.vm.parse(extend(a, issue()).bytes));
    calls.length = 0;
    const tx = issue();
    a.chain.issue(tx);
    const left = outerOf(a.vm.build()!);
    const right = makeUnsignedBlock({ ...left, timestamp: left.timestamp + 1n });
    return { a, b, tx, issue, calls, blocks: [left, right].map(({ bytes }) => b.vm.parse(bytes)) as [EngineBlock, EngineBlock], clock };
  }

  test('the inner block is verified once, and accepted with one of them', () => {
    const { b, tx, calls, blocks } = siblings();
    for (const block of blocks) b.vm.verify(block);
    expect(calls).toEqual(['verify']);
    b.vm.accept([blocks[1].id]);
    b.vm.reject(blocks[0].id);
    expect([b.vm.lastAccepted(), b.chain.status(tx.id), b.vm.blockIdAtHeight(2n)]).toEqual([blocks[1].id, 'Accepted', blocks[1].id]);
    expect(calls).toEqual(['verify']);
  });

  test('the inner block is rejected with the last of them: its transactions return to the mempool', () => {
    const { b, tx, calls, blocks } = siblings();
    for (const block of blocks) b.vm.verify(block);
    b.vm.reject(blocks[0].id);
    expect([calls, b.vm.waiting(), b.chain.processing()]).toEqual([['verify'], 0, 1]);
    b.vm.reject(blocks[1].id);
    expect([calls, b.vm.waiting(), b.chain.status(tx.id)]).toEqual([['verify', 'reject'], 1, 'Processing']);
    expect(codeOf(() => b.vm.reject(blocks[1].id))).toBe('OUTER_NOT_PROCESSING');
  });

  test('children of two outer blocks can hold the same inner block too; only the child of the accepted one is accepted', () => {
    const { a, b, issue, calls, blocks } = siblings();
    const [left, right] = blocks;
    a.vm.verify(left);
    a.vm.setPreference(left.id);
    a.chain.queueWalletTx(issue());
    const onLeft = outerOf(a.vm.build()!);
    const epoch = { ...onLeft.epoch! };
    const onRight = makeUnsignedBlock({ ...onLeft, parentID: right.id, timestamp: right.time, epoch });
    const children = [onLeft, onRight].map(({ bytes }) => b.vm.parse(bytes)) as [EngineBlock, EngineBlock];
    for (const block of [...blocks, ...children]) b.vm.verify(block);
    expect(calls).toEqual(['verify', 'verify']);
    b.vm.accept([right.id]);
    for (const { id } of [left, children[0]]) b.vm.reject(id);
    expect([calls.length, b.chain.processing()]).toEqual([2, 1]);
    b.vm.accept([children[1].id]);
    expect([b.vm.lastAccepted(), b.chain.processing(), b.state.height()]).toEqual([onRight.id, 0, 3n]);
  });
});

describe('a block that was built', () => {
  const setUp = (options: Parameters<typeof openOuterChain>[1] = {}) => {
    const clock = testClock();
    const chain = openOuterChain(clock, options);
    const issue = createIssuer();
    extend(chain, issue());
    chain.chain.issue(issue());
    return { ...chain, clock };
  };

  test('and fails by its header returns its transactions', () => {
    const { vm, clock } = setUp();
    const block = vm.build()!;
    expect(vm.waiting()).toBe(0);
    clock.ms -= 60_000;
    expect(codeOf(() => vm.verify(block))).toBe('OUTER_TOO_FAR_AHEAD');
    expect(vm.waiting()).toBe(1);
  });

  test('and is rejected before it is verified returns its transactions', () => {
    const { vm } = setUp();
    vm.reject(vm.build()!.id);
    expect(vm.waiting()).toBe(1);
    vm.accept([acceptable(vm)]);
    expect(vm.waiting()).toBe(0);
  });

  test('and cannot be signed returns its transactions, and the error is thrown', () => {
    const proposer = {
      ...createProposer(),
      sign: () => {
        throw new Error('no key');
      },
    };
    const validators = { ...anyoneProposes, at: () => new Map([[proposer.nodeId, 1n]]) };
    const { vm } = setUp({ proposer, validators });
    expect(() => vm.build()).toThrow('no key');
    expect(vm.waiting()).toBe(1);
  });

  const acceptable = (vm: Vm) => {
    const block = vm.build()!;
    vm.verify(block);
    return block.id;
  };
});
