import { expect, test } from 'bun:test';
import { createPlatformReads } from './platform-reads.ts';

test('three questions tell the heights and the time; while no block follows, one', async () => {
  const chain = { height: 7, proposed: 5, time: '2026-01-01T00:00:00Z' };
  let asked: string[] = [];
  const answers: Readonly<Record<string, () => Record<string, unknown>>> = {
    'platform.getHeight': () => ({ height: String(chain.height) }),
    'platform.getProposedHeight': () => ({ height: String(chain.proposed) }),
    'platform.getTimestamp': () => ({ timestamp: chain.time }),
  };
  const reads = createPlatformReads('http://node', {
    call: async (_, method) => {
      asked.push(method.slice('platform.'.length));
      return answers[method]?.() ?? expect.unreachable();
    },
  });
  const read = async () => {
    asked = [];
    const { current, proposed, time } = await reads.heights();
    return [Number(current), Number(proposed), time - 1_767_225_600n, asked.join()];
  };
  const all = 'getProposedHeight,getHeight,getTimestamp';
  expect(await read()).toEqual([7, 5, 0n, all]);
  // The proposed height follows without a block.
  chain.proposed = 7;
  expect(await read()).toEqual([7, 7, 0n, all]);
  expect(await read()).toEqual([7, 7, 0n, 'getHeight']);
  Object.assign(chain, { height: 8, time: '2026-01-01T00:00:09Z' });
  expect(await read()).toEqual([8, 7, 9n, `getHeight,${all}`]);
  expect(await read()).toEqual([8, 7, 9n, all]);
});
