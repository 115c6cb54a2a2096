import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { cChain, localModel, openLocalChain, pChain, startManualEngine } from '../../../test/local-chain.ts';
import { createRandom } from '../../../test/random.ts';
import { createTxGenerator } from '../../../test/tx-generator.ts';
import { createWallet, ewoq, ownedBy, transfer } from '../../../test/wallet-kit.ts';
import { genesisBlock } from '../../avm/genesis/genesis-block.ts';
import { loadNetworkGenesis } from '../../avm/genesis/network-genesis.ts';
import { getNetwork } from '../../avm/network.ts';
import type { Block } from '../../avm/tx/block.ts';
import { consumedIds } from '../../avm/tx/effects.ts';
import { parseTx } from '../../avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { hash160, sha256 } from '../../base/bytes/hash.ts';
import { type Id, idOf, idText } from '../../base/bytes/id.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { migrateStore } from '../../ledger/index/migrate.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import { openSqliteIndex } from '../../ledger/index-sqlite/sqlite-index.ts';
import { createSqliteSql } from '../../ledger/index-sqlite/sqlite-sql.ts';
import { addressText, createDataApiClient, jsonReader, readAllPages, type SendDataRequest, xChainPath } from './data-requests.fixture.ts';
import type { RecoverPublicKey } from './public-key-cache.ts';
import { sampleServed, sampleServedChain } from './sample-chain.fixture.ts';
import { createScanningReads, type Deposit } from './scanning-reads.fixture.ts';

/** Random transactions of every kind, verified by the real rules: responses from the real index are compared with those from a scan of the blocks. */
const seed = 11;
const blockCount = 40;

const chain = grow();
afterAll(chain.close);

const recoverKey: RecoverPublicKey = (unsigned, signature) =>
  recoverNative(sha256(unsigned), signature.subarray(0, 64), signature[64] as number);
const clientOf = (reads: Parameters<typeof sampleServedChain>[0], recover = recoverKey): SendDataRequest => {
  const servedChain = sampleServedChain(reads, { id: chain.chainID, feeAsset: chain.feeAsset });
  return createDataApiClient(sampleServed(servedChain, { now: chain.now }), {
    recover,
    logError: (error) => expect(error).toBeUndefined(),
  });
};
const real = clientOf(chain.index);
const scanned = clientOf(createScanningReads(chain));
const random = createRandom(seed);
const addresses = [...chain.addresses];
const some = (): string => Array.from({ length: 1 + random.below(3) }, () => addressText(random.pick(addresses))).join(',');
const time = (): number => Number(random.pick(chain.blocks).time) + random.below(2);

/** Compares both responses page by page and returns the items. */
async function expectSame(target: string, name: string): Promise<unknown[]> {
  const pages = `${target}${target.includes('?') ? '&' : '?'}pageSize=${4 + random.below(40)}`;
  const [actual, expected] = [await readAllPages(real, pages, name), await readAllPages(scanned, pages, name)];
  expect({ target, actual }).toEqual({ target, actual: expected });
  expect(actual.filter((item) => 'mismatches' in item)).toEqual([]);
  return actual;
}

describe(`a chain of ${blockCount} random blocks`, () => {
  test('has every kind of transaction', async () => {
    const kinds = new Set(
      (await readAllPages(real, `${xChainPath}/transactions?pageSize=100`, 'transactions')).map(({ txType }) => txType),
    );
    expect([...kinds].sort()).toEqual(['BaseTx', 'CreateAssetTx', 'ExportTx', 'ImportTx', 'OperationTx']);
  });

  test('blocks', async () => {
    expect(await expectSame(`${xChainPath}/blocks`, 'blocks')).toHaveLength(chain.blocks.length);
    for (let round = 0; round < 5; round++)
      await expectSame(`${xChainPath}/blocks?startTimestamp=${time()}&endTimestamp=${time()}`, 'blocks');
  });

  test('transactions of the chain, of addresses and of assets', async () => {
    expect((await expectSame(`${xChainPath}/transactions`, 'transactions')).length).toBeGreaterThan(blockCount);
    for (let round = 0; round < 6; round++) {
      const filter = random.pick(['', '&txTypes=OperationTx&txTypes=BaseTx', `&startTimestamp=${time()}`, `&endTimestamp=${time()}`]);
      await expectSame(`${xChainPath}/transactions?sortOrder=${random.pick(['asc', 'desc'])}${filter}`, 'transactions');
      await expectSame(`${xChainPath}/transactions?addresses=${some()}&sortOrder=${random.pick(['asc', 'desc'])}${filter}`, 'transactions');
      await expectSame(`${xChainPath}/assets/${idText(random.pick(chain.assets))}/transactions?${filter}`, 'transactions');
    }
  });

  test('outputs', async () => {
    for (let round = 0; round < 30; round++) {
      const sort = `sortBy=${random.pick(['timestamp', 'amount'])}&sortOrder=${random.pick(['asc', 'desc'])}`;
      const filter = random.pick(['', `&assetId=${idText(random.pick(chain.assets))}`, '&minUtxoAmount=1', '&minUtxoAmount=1000000']);
      await expectSame(`${xChainPath}/utxos?addresses=${some()}&${sort}${filter}&includeSpent=${random.pick(['true', 'false'])}`, 'utxos');
    }
  });

  test('balances, assets and addresses', async () => {
    const both = async (target: string) => {
      const [actual, expected] = [await real(target), await scanned(target)];
      expect({ target, json: actual.json, mismatches: actual.mismatches }).toEqual({ target, json: expected.json, mismatches: [] });
    };
    for (let round = 0; round < 20; round++) {
      await both(`${xChainPath}/balances?addresses=${some()}`);
      await both(`${xChainPath}/balances?addresses=${some()}&blockTimestamp=${time()}`);
      await both(`${xChainPath}/lastActivityTimestampByAddresses?addresses=${some()}`);
      await both(`/v1/networks/local/addresses:listChainIds?addresses=${some()}`);
    }
    for (const asset of chain.assets) await both(`${xChainPath}/assets/${idText(asset)}`);
  });

  test('amounts of a transaction are the sums of its outputs, and its signers own them', async () => {
    const owners = new Set(chain.keys.map(addressText));
    let recovered = 0;
    const counting = clientOf(chain.index, (unsigned, signature) => {
      recovered++;
      return recoverKey(unsigned, signature);
    });
    for (const tx of await readAllPages(counting, `${xChainPath}/transactions?pageSize=100`, 'transactions')) {
      expect(sumByAsset(tx.consumedUtxos)).toEqual(amounts(tx.amountUnlocked));
      expect(sumByAsset(tx.emittedUtxos)).toEqual(amounts(tx.amountCreated));
      for (const { credentials, addresses: all, threshold } of tx.consumedUtxos) {
        expect(credentials).toHaveLength(threshold);
        const signers = credentials.map(({ publicKey }: { publicKey: string }) => signer(publicKey));
        expect(signers.every((address: string) => all.includes(address) && owners.has(address))).toBe(true);
      }
    }
    expect(recovered).toBe(owners.size);
  });

  test('UTXOs by POST equal those by GET', async () => {
    const all = addresses.slice(0, 30).map(addressText).join(',');
    const sent = { method: 'POST', body: JSON.stringify({ addresses: all }) };
    const { utxos } = await jsonReader(real)(`${xChainPath}/utxos?pageSize=1024`, sent);
    expect(utxos.length).toBeGreaterThan(0);
    expect(await readAllPages(real, `${xChainPath}/utxos?pageSize=100&addresses=${all}`, 'utxos')).toEqual(utxos);
  });
});

type Amount = { readonly assetId: string; readonly type: string; readonly amount: string };
const amounts = (list: readonly Amount[]) => new Map(list.map(({ assetId, type, amount }) => [assetId + type, BigInt(amount)]));
function sumByAsset(utxos: readonly { readonly asset: Amount }[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { asset } of utxos) {
    const key = asset.assetId + asset.type;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(asset.amount));
  }
  return sums;
}
const signer = (key: string): string => addressText(addressFromBytes(hash160(Buffer.from(key, 'base64'))));

function grow() {
  const random = createRandom(seed);
  let clock = 1_763_000_000n;
  const now = () => clock;
  const accepted: Block[] = [];
  const local = openLocalChain({ now, onAccepted: (block) => accepted.push(block) });
  const engine = startManualEngine(local.chain, now);
  const model = localModel();
  const wallet = createWallet('data', { keys: [ewoq], count: 6 });
  const generator = createTxGenerator(
    { random, model, wallet, now, lockedUntil: () => clock + BigInt(1 + random.below(120)), chains: [pChain, cChain], holdsPending: true },
    0,
  );
  const put: { from: Id; utxo: Utxo }[] = [];
  for (let height = 0; height < blockCount; height++) {
    clock += BigInt(random.below(5));
    if (random.below(2) === 0) {
      const { output } = transfer(wallet.chainParams.feeAsset, BigInt(1 + random.below(1e9)), ownedBy([random.pick(wallet.keys)]));
      const deposited = {
        from: random.pick([pChain, cChain]),
        utxo: makeUtxo(idOf(random.bytes(32)), random.below(3), wallet.chainParams.feeAsset, output),
      };
      put.push(deposited);
      local.deposit(deposited.from, deposited.utxo);
      model.deposit(deposited.from, deposited.utxo);
    }
    generator.reset();
    for (let i = 0; i < 4 + random.below(6); i++) {
      const next = generator.next();
      if (next !== undefined) local.chain.issue(parseTx(next.bytes));
    }
    const before = accepted.length;
    engine.decide();
    for (const block of accepted.slice(before)) for (const tx of block.txs) model.apply(tx);
  }

  const { chainID, first, genesisTxs } = readGenesis();
  const blocks = [first, ...accepted];
  migrateStore(local.store, 1);
  const spec = { number: 1, id: chainID, feeAsset: wallet.chainParams.feeAsset, completeFrom: 0 };
  for (const _ of openSqliteIndex(local.store, spec).catchUp());
  // An output of another chain is first seen when it is imported.
  const deposits = put.flatMap(({ from, utxo }): Deposit[] => {
    const block = blocks.find(({ txs }) => txs.some((tx) => consumedIds(tx).includes(utxo.id)));
    return block === undefined ? [] : [{ from, utxo, seen: Number(block.time) }];
  });
  const every = [...genesisTxs, ...blocks.flatMap(({ txs }) => txs)];
  return {
    id: chainID,
    chainID,
    feeAsset: wallet.chainParams.feeAsset,
    genesisTxs,
    blocks,
    deposits,
    assets: every.filter(({ unsigned }) => unsigned.kind === 'CreateAssetTx').map(({ id }) => id),
    addresses: new Set<Address>([
      ...wallet.keys.map(({ address }) => address),
      ...[...model.utxos.values()].flatMap(({ output }) => output.addresses),
    ]),
    keys: wallet.keys.map(({ address }) => address),
    index: openReads(createSqliteSql(local.store), { number: 1, id: chainID, feeAsset: wallet.chainParams.feeAsset }),
    now: () => Number(clock),
    close: local.close,
  };

  function readGenesis() {
    const readData = (file: string) => readFileSync(new URL(`../../avm/genesis/data/${file}`, import.meta.url));
    const network = getNetwork(12345);
    const { x } = loadNetworkGenesis(network, undefined, { readData, unixSeconds: 0n });
    const first = genesisBlock(x.blockchainID, network.upgrades);
    return { chainID: x.blockchainID, first, genesisTxs: x.genesis.assets.map(({ tx }) => tx) };
  }
}
