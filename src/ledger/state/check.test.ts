import { expect, test } from 'bun:test';
import { recordTime } from '../../../test/figure.ts';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { TransferableOutput } from '../../avm/tx/output.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { checkChain } from './check.ts';
import { appendBlocks, codeOf, openChain } from './open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from './random-chain.fixture.ts';

const oldUtxo = makeUtxo('ab'.repeat(32) as Id, 3, zeroId, {
  ...{ kind: 'secp256k1fx.TransferOutput', amount: 5n, locktime: 0n },
  ...{ threshold: 1, addresses: ['cd'.repeat(20) as Address] },
});

const grown = () => {
  const chain = openChain(sqliteDrivers[0].open);
  appendBlocks(chain, randomChain(42), 30);
  chain.state.addPreLinearizationUtxos([oldUtxo]);
  return chain;
};

test('a correct chain has no problems, and the report has the same counts as the state', () => {
  const { store, state } = grown();
  const { blocks, txs, unspent } = state.stats();
  expect(checkChain(store, chainID)).toMatchObject({ problems: [], blocks, txs, unspent });
  expect(codeOf(() => checkChain(store, otherChainID))).toBe('STATE_UNKNOWN_CHAIN');
});

test('the number of statements does not depend on the number of transactions', () => {
  let statements = 0;
  const chain = openChain((...options) => {
    const db = sqliteDrivers[0].open(...options);
    const counted = <Values extends unknown[], Result>(run: (...values: Values) => Result) => {
      return (...values: Values): Result => {
        statements++;
        return run(...values);
      };
    };
    return {
      ...db,
      prepare: <Row>(sql: string) => {
        const { run, get, all } = db.prepare<Row>(sql);
        return { run, get: counted(get), all: counted(all) };
      },
    };
  });
  const source = randomChain(7);
  chain.state.init(source.genesisTxs, source.first);
  let parent: { readonly id: Id; readonly height: bigint } = source.first;
  let unspent: Utxo | undefined;
  /** Adds a block with a transfer of the last transfer's output. */
  const addTransfer = (): void => {
    const input = { kind: 'secp256k1fx.TransferInput' as const, amount: 5n, signatureIndices: [0] };
    const inputs = unspent === undefined ? [] : [{ ...unspent, input }];
    const outputs = [{ assetID: zeroId, output: oldUtxo.output as TransferableOutput['output'] }];
    const tx = makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: chainID, inputs, outputs, memo: new Uint8Array(0) }, []);
    const effects = effectsOf(tx);
    const consumed = new Map(unspent === undefined ? [] : [[unspent.id, unspent]]);
    const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time: 1_700_000_000n, txs: [tx] });
    chain.state.commitAll([{ block, diff: { applied: [{ tx, effects }], consumed } }]);
    [parent, unspent] = [block, effects.created[0]];
  };
  const statementsAfter = (blocks: number): number => {
    for (let i = 0; i < blocks; i++) addTransfer();
    const before = statements;
    expect(checkChain(chain.store, chainID).problems).toEqual([]);
    return statements - before;
  };
  expect(statementsAfter(10)).toBe(statementsAfter(40));
});

const flip = (column: string, at: number) =>
  `${column} = CAST(substr(${column}, 1, ${at}) || x'ff' || substr(${column}, ${at + 2}) AS BLOB)`;
const anyUnspent = '(SELECT min(seq) FROM c1_owner)';
const anyOwner = '(address, seq) = (SELECT address, seq FROM c1_owner WHERE bytes IS NOT NULL LIMIT 1)';
const anyBalance = `(address, asset, part, height) =
  (SELECT address, asset, part, height FROM (SELECT *, max(height) FROM c1_balance GROUP BY address, asset, part) WHERE count > 0 LIMIT 1)`;

/** SQL that damages the database, and the problem that must be reported. */
const damages: readonly [sql: string, problem: RegExp][] = [
  [`UPDATE c1_block SET ${flip('header', 20)} WHERE height = 3`, /block 3 does not hash to its id/],
  [`UPDATE c1_block SET time = time + 1 WHERE height = 3`, /header of block 3 does not match/],
  [`UPDATE c1_block SET tx_bytes = tx_bytes + 1 WHERE height = 3`, /the sums of block 3 do not match its transactions/],
  [`UPDATE c1_block SET fees = x'01' WHERE height = 3`, /the sums of block 3 do not match its transactions/],
  [`DELETE FROM c1_block WHERE height = 4`, /block 5 does not follow 3/],
  [`UPDATE c1_block SET first_tx = first_tx + 1 WHERE height = 5`, /block 5 begins with transaction/],
  [`UPDATE c1_block SET unspent = unspent + 1`, /the last block counts \d+ unspent outputs/],
  [`UPDATE c1_tx SET ${flip('bytes', 12)} WHERE seq = 4`, /transaction 4 does not hash to its id/],
  [`UPDATE c1_tx SET bytes = x'0000' WHERE seq = 4`, /transaction 4 does not hash to its id/],
  [`UPDATE c1_tx SET ${flip('outputs', 3)} WHERE outputs IS NOT NULL`, /stored about the outputs of transaction \d+ differs/],
  [`UPDATE c1_tx SET outputs = x'00' WHERE seq = 1`, /stored about the outputs of transaction 1 differs/],
  [`UPDATE c1_tx SET height = 1 WHERE seq = (SELECT max(seq) FROM c1_tx)`, /a transaction of block 30 has another height/],
  [`DELETE FROM c1_tx WHERE seq = (SELECT max(seq) FROM c1_tx)`, /the blocks have/],
  [`UPDATE c1_asset SET fxs = '7'`, /asset \w+ differs from what its transaction created/],
  [`DELETE FROM c1_asset`, /assets, transactions created/],
  [`UPDATE c1_old_utxo SET ${flip('bytes', 4)}`, /output -\d+ does not match its id/],
  [`UPDATE c1_old_utxo SET bytes = CAST(substr(bytes, 1, length(bytes) - 1) || x'00' AS BLOB)`, /output -\d+ has a wrong checksum/],
  [`UPDATE c1_old_utxo SET seq = 7`, /output 7 has the number of another one/],
  [`INSERT INTO c1_output_id VALUES (0, 1, x'')`, /row 0 of the IDs of outputs is not where look-ups read it/],
  [`INSERT INTO c1_output_id VALUES (0, 1, x'0000000000000001')`, /the IDs of outputs differ from the outputs of the transactions/],
  [`INSERT INTO c1_spend VALUES (${anyUnspent}, 1)`, /which is spent or does not exist/],
  [`DELETE FROM c1_spend WHERE utxo = (SELECT min(utxo) FROM c1_spend)`, /unspent outputs, there are/],
  [`UPDATE c1_spend SET tx = 99999 WHERE utxo = (SELECT min(utxo) FROM c1_spend)`, /spent by a transaction that does not exist/],
  [`UPDATE c1_spend SET tx = 1 WHERE utxo = (SELECT max(utxo) FROM c1_spend)`, /is not marked as spent by transaction/],
  [`INSERT INTO c1_spend VALUES (99999, 1)`, /outputs are marked as spent, transactions spend/],
  [`INSERT INTO c1_spend VALUES (3 * 1048576 + 99999, 1)`, /is marked as spent and does not exist/],
  [`UPDATE c1_tx SET outputs = x'' WHERE seq = 9`, /stored about the outputs of transaction 9 differs/],
  [`DELETE FROM c1_owner WHERE ${anyOwner}`, /owners of outputs, there should be/],
  [`UPDATE c1_owner SET address = x'${'00'.repeat(20)}' WHERE ${anyOwner}`, /does not own output/],
  [`UPDATE c1_owner SET ${flip('bytes', 40)} WHERE ${anyOwner}`, /the copy of output/],
  [`UPDATE c1_balance SET count = count + 1 WHERE ${anyBalance}`, /are not the sums of its outputs/],
  [`UPDATE c1_balance SET amount = x''`, /are not the sums of its outputs/],
  [`DELETE FROM c1_balance WHERE ${anyBalance}`, /are not the sums of its outputs/],
  [`INSERT INTO c1_balance VALUES (x'00', x'01', x'02', 1, x'05', 1, 0)`, /balances, there should be/],
  [`UPDATE atomic SET ${flip('bytes', 4)} WHERE bytes IS NOT NULL`, /shared output \d+ does not match its id/],
  [`UPDATE atomic SET ${flip('bytes', 78)} WHERE bytes IS NOT NULL`, /shared output \d+ has a wrong checksum/],
  // The number of owners: as many as damaged bytes say were listed, until the memory was full.
  [`UPDATE atomic SET ${flip('bytes', 94)} WHERE bytes IS NOT NULL`, /shared output \d+ has a wrong checksum/],
  [`UPDATE atomic_owner SET ${flip('bytes', 78)}`, /does not have the owner rows it should have/],
  [`UPDATE atomic_owner SET bytes = NULL`, /does not have the owner rows it should have/],
  [`DELETE FROM atomic_owner`, /does not have the owner rows it should have/],
  [
    `INSERT INTO atomic_owner SELECT reader, peer, x'00', seq, bytes FROM atomic_owner LIMIT 1`,
    /owners of shared outputs, there should be/,
  ],
];

for (const [sql, problem] of damages)
  test(`found: ${sql}`, () => {
    const { store } = grown();
    store.db.exec(sql);
    expect(checkChain(store, chainID).problems.join('\n')).toMatch(problem);
  });

test('an asset that is created without any output is right', () => {
  const { store, state } = grown();
  const { id: parentID, height, time } = state.lastAccepted();
  const described = { name: Buffer.from('empty'), symbol: Buffer.from('E'), denomination: 0, initialStates: [{ fxIndex: 0, outputs: [] }] };
  const base = { networkID: 1, blockchainID: chainID, inputs: [], outputs: [], memo: new Uint8Array(0) };
  const tx = makeTx({ kind: 'CreateAssetTx', ...base, ...described }, []);
  const block = makeBlock({ parentID, height: height + 1n, time, txs: [tx] });
  state.commitAll([{ block, diff: { applied: [{ tx, effects: effectsOf(tx) }], consumed: new Map() } }]);
  expect(checkChain(store, chainID).problems).toEqual([]);
  // Earlier versions stored that its outputs are unknown.
  store.db.exec(`UPDATE c1_tx SET outputs = x'' WHERE id = x'${tx.id}'`);
  expect(checkChain(store, chainID).problems).toEqual([]);
});

test('a large shared memory is checked', () => {
  const { store, sharedMemory } = grown();
  const owners = {
    kind: 'secp256k1fx.TransferOutput',
    amount: 1n,
    locktime: 0n,
    threshold: 1,
    addresses: ['ab'.repeat(20) as Address],
  } as const;
  const puts = Array.from({ length: 12_000 }, (_, i) =>
    makeUtxo(i.toString(16).padStart(64, '0') as Id, 0, zeroId, { ...owners, addresses: [...owners.addresses] }),
  );
  store.write(() => sharedMemory.put(chainID, otherChainID, puts));
  // Sorting all rows again for each batch took about 13 s for this many.
  const began = performance.now();
  expect(checkChain(store, chainID).problems).toEqual([]);
  recordTime('check of 12,000 outputs of the shared memory', began, 6000);
});
