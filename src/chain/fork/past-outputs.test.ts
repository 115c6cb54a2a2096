import { expect, test } from 'bun:test';
import type { Block } from '../../avm/tx/block.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { type Id, idOf, idText } from '../../base/bytes/id.ts';
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

/** An output as the Data API lists it, created in second 50 and not spent, unless `changes` say otherwise. */
const listed = (index: number, changes: Record<string, unknown> = {}) => ({
  timestamp: 50,
  creationTxHash: idText(idOf(Buffer.from('earlier'))),
  createdOnChainId: 'X',
  consumedOnChainId: 'X',
  utxoBytes: formatHex('hex', utxoAt(index).bytes),
  ...changes,
});
const utxoAt = (index: number) =>
  makeUtxo('1'.repeat(64) as Id, index, '2'.repeat(64) as Id, {
    kind: 'secp256k1fx.TransferOutput',
    amount: 5n,
    locktime: 0n,
    threshold: 1,
    addresses: ['01'.repeat(20) as Address],
  });

/** Blocks 5 and 6 of second 100, and block 7 of second 101, with one transaction each. */
const txIn = (height: bigint) => idOf(Buffer.from(`in block ${height}`));
const blockAt = async (height: bigint) =>
  height > 7n ? undefined : ({ height, time: height < 7n ? 100n : 101n, txs: [{ id: txIn(height) }] } as unknown as Block);

test('the outputs that were unspent after the block are listed, whatever else the second of the block has', async () => {
  const [inBlock, inNext] = [idText(txIn(5n)), idText(txIn(6n))];
  const pages: Record<string, unknown> = {
    '': {
      utxos: [
        listed(0),
        listed(1, { timestamp: 100, creationTxHash: inBlock }),
        listed(2, { timestamp: 100, creationTxHash: inNext }),
        listed(3, { timestamp: 101 }),
        listed(4, { consumingTxTimestamp: 100, consumingTxHash: inBlock }),
        listed(5, { consumingTxTimestamp: 100, consumingTxHash: inNext }),
      ],
      nextPageToken: 'second',
    },
    second: {
      utxos: [
        listed(6, { consumingTxTimestamp: 101, consumingTxHash: 'unknown' }),
        listed(7, { consumingTxTimestamp: 99 }),
        listed(8, { createdOnChainId: 'P' }),
        listed(9, { consumedOnChainId: 'P' }),
        // Of an output that was spent, the bytes are not needed.
        listed(10, { consumingTxTimestamp: 99, utxoBytes: undefined }),
      ],
      nextPageToken: '',
    },
  };
  const asked: string[] = [];
  const list = await openPastOutputs(
    {
      url: 'http://source/',
      shownUrl: 'http://source',
      transport: async ({ url, body }) => {
        asked.push(`${url} ${body}`);
        return { status: 200, text: JSON.stringify(pages[new URL(url).searchParams.get('pageToken') ?? '']) };
      },
      remote: { blockAt },
      chainID: 'X',
      formatAddress: () => 'X-avax1a',
      signal: new AbortController().signal,
    },
    5n,
  );
  const found = await Array.fromAsync(list('01'.repeat(20) as Address));
  expect(found.map((page) => page.map(({ id }) => id))).toEqual([[0, 1, 5].map((index) => utxoAt(index).id), [utxoAt(6).id]]);
  const path = 'http://source/v1/networks/mainnet/blockchains/X/utxos?includeSpent=true&pageSize=1024';
  expect(asked).toEqual([`${path} {"addresses":"X-avax1a"}`, `${path}&pageToken=second {"addresses":"X-avax1a"}`]);
});

test('an output without bytes, an address with too many outputs, and another status are refused', async () => {
  const answer = (status: number, listing: unknown) => errorOf(async () => ({ status, text: JSON.stringify(listing) }));
  const refusal = (why: string) => ({ code: 'FORK_NO_HEIGHT', url: 'http://source', height: '5', why });
  const withoutBytes = { utxos: [listed(0, { utxoBytes: undefined })] };
  expect(await answer(200, withoutBytes)).toEqual(refusal('it does not know the bytes of an output of that time'));
  expect(await answer(200, { utxos: [], nextPageToken: 'again' })).toEqual(refusal('X-local1a had more than 65536 outputs'));
  expect(await answer(500, {})).toEqual(refusal('its Data API answered with status 500'));
  expect(await answer(404, {})).toMatchObject({ why: expect.stringContaining('it has no Data API') });
});
