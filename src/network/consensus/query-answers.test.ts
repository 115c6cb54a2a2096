import { describe, expect, test } from 'bun:test';
import { chainId, flush, makeBlock } from './engine.fixture.ts';
import { engineLimits } from './engine-parameters.ts';
import { genesis, openEngine, other, peer } from './open-engine.fixture.ts';

describe('queries', () => {
  test('are answered at once, before the block that they bring is verified, and never name an unverified block', async () => {
    const { push, sentChits, vm } = openEngine();
    const block = makeBlock(genesis, 'a');
    push(block);
    const answer = { kind: 'chits', chainId, requestId: 1, acceptedId: genesis.id, acceptedHeight: 0n } as const;
    expect(sentChits()).toEqual([{ ...answer, preferredId: genesis.id, preferredIdAtHeight: genesis.id }]);
    await flush();
    expect(vm.calls).toEqual(['verify a']);
    push(block);
    expect(sentChits()[1]).toEqual({ ...answer, preferredId: block.id, preferredIdAtHeight: block.id });
  });
  describe('while a block is being preverified', () => {
    /** An engine that prefers `a` and preverifies its sibling `b` until `finish` is called. */
    async function openPreverifying() {
      const opened = openEngine([peer, other]);
      const [a, b] = [makeBlock(genesis, 'a'), makeBlock(genesis, 'b')];
      opened.push(a);
      await flush();
      let finish = (): void => {};
      const preverified = new Promise<void>((resolve) => {
        finish = resolve;
      });
      Object.assign(opened.vm, { preverify: () => preverified });
      const [poll] = opened.take('pullQuery');
      opened.push(b);
      const preferences = () => opened.sentChits().map(({ preferredId }) => preferredId);
      return { ...opened, a, b, poll: poll!, finish, preferences };
    }
    test('they are answered after it, by the preference after the votes that waited for it', async () => {
      const { a, b, poll, finish, chits, pull, vm, preferences } = await openPreverifying();
      expect(preferences()).toEqual([genesis.id, a.id]);
      chits(b.id, poll, peer);
      chits(b.id, poll, other);
      pull(a.id, peer);
      pull(a.id, other);
      await flush();
      expect(preferences()).toEqual([genesis.id, a.id]);
      finish();
      await flush();
      expect(vm.calls).toEqual(['verify a', 'verify b']);
      expect(preferences()).toEqual([genesis.id, a.id, b.id, b.id]);
    });
    test('they are answered once, after a second at the latest', async () => {
      const { a, finish, pull, timers, preferences } = await openPreverifying();
      pull(a.id);
      timers.advance(engineLimits.answerWait - 1);
      expect(preferences()).toHaveLength(2);
      timers.advance(1);
      expect(preferences()).toEqual([genesis.id, a.id, a.id]);
      finish();
      await flush();
      timers.advance(engineLimits.answerWait);
      expect(preferences()).toHaveLength(3);
    });
    test('answers that wait are limited for each peer', async () => {
      const { a, finish, pull, preferences } = await openPreverifying();
      for (let index = 0; index < engineLimits.waitingAnswers.perPeer.count + 3; index++) pull(a.id);
      pull(a.id, other);
      expect(preferences()).toHaveLength(2 + 3);
      finish();
      await flush();
      expect(preferences()).toHaveLength(2 + engineLimits.waitingAnswers.perPeer.count + 3 + 1);
    });
    test('they are answered if it is refused', async () => {
      const { a, finish, pull, vm, invalid, preferences } = await openPreverifying();
      Object.assign(vm, {
        verify: () => {
          throw new Error('invalid');
        },
      });
      pull(a.id);
      finish();
      await flush();
      expect([invalid.length, preferences().at(-1)]).toEqual([1, a.id]);
      expect(preferences()).toHaveLength(3);
    });
  });
  test('the block at the requested height: accepted below, preferred above, else the tip', async () => {
    const chain = [genesis];
    for (let height = 1; height < 4; height++) chain.push(makeBlock(chain.at(-1), `b${height}`));
    const { pull, push, sentChits } = openEngine([peer], chain);
    const next = makeBlock(chain[3], 'next');
    push(next);
    await flush();
    for (const height of [1n, 3n, 4n, 99n]) pull(next.id, peer, height);
    expect(
      sentChits()
        .slice(1)
        .map(({ preferredIdAtHeight }) => preferredIdAtHeight),
    ).toEqual([chain[1]!.id, chain[3]!.id, next.id, next.id]);
  });
});
