import { expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { OuterBlockError } from '../../network/proposervm/fault.ts';
import { createRefusedBlocks } from './refused-blocks.ts';

test('the P-Chain height for which a block was refused counts until a block of its height is accepted', () => {
  const refused = createRefusedBlocks('X', { log: () => {}, clock: { monotonic: () => 0 } } as unknown as Parameters<
    typeof createRefusedBlocks
  >[1]);
  const block = (height: bigint) => ({ id: '00'.repeat(32) as Id, height }) as EngineBlock;
  const unknownHeight = new OuterBlockError('unknown', { code: 'OUTER_P_CHAIN_HEIGHT_UNKNOWN', height: 9n, current: 7n });
  refused.add(block(5n), new OuterBlockError('unsigned', { code: 'OUTER_UNSIGNED' }));
  expect(refused.unknownPChainHeight(4n)).toBeUndefined();
  refused.add(block(5n), unknownHeight);
  refused.add(block(5n), new OuterBlockError('unsigned', { code: 'OUTER_UNSIGNED' }));
  expect([refused.unknownPChainHeight(4n), refused.unknownPChainHeight(5n), refused.lastReason(4n)]).toEqual([9n, undefined, 'unsigned']);
});
