import { expect, test } from 'bun:test';
import type { Block } from '../../avm/tx/block.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Transport } from '../follow/transport.ts';
import { openPastOutputs } from './past-outputs.ts';

/** The error of listing the outputs of an address, with a scripted Data API. */
async function errorOf(transport: Transport): Promise<unknown> {
  const list = await openPastOutputs(
    {
      url: 'http://source',
      shownUrl: 'http://source',
      transport,
      remote: { blockAt: async (height) => (height === 5n ? ({ height, time: 100n, txs: [] } as unknown as Block) : undefined) },
      chainID: 'X',
      formatAddress: () => 'X-local1a',
      signal: new AbortController().signal,
    },
    5n,
  );
  const error = await Array.fromAsync(list('01'.repeat(20) as Address)).catch((one: unknown) => one);
  return (error as { fault?: unknown }).fault;
}

test('a node that does not answer is named as such, not as an error of this program', async () => {
  const fault = await errorOf(async () => {
    throw new TypeError('connection refused');
  });
  expect(fault).toEqual({ code: 'FOLLOW_SILENT', method: 'the Data API', why: 'connection refused' });
});

test('an answer of another form is refused with its reason', async () => {
  const output = { timestamp: 1, creationTxHash: 'a', createdOnChainId: 'X', consumedOnChainId: 'X', utxoBytes: '0x00' };
  for (const [utxos, why] of [
    [null, 'its Data API gave an answer of another form'],
    [[null], 'its Data API gave an answer of another form'],
    [[{ ...output, timestamp: 'soon' }], 'its Data API gave an answer of another form'],
    [[{ ...output, utxoBytes: 5 }], 'its Data API gave an answer of another form'],
    [[output], 'its Data API lists an output whose bytes are not valid'],
  ])
    expect(await errorOf(async () => ({ status: 200, text: JSON.stringify({ utxos }) }))).toMatchObject({ code: 'FORK_NO_HEIGHT', why });
});
