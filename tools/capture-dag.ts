/**
 * Captures vectors/dag.json: the vertices that AvalancheGo 1.9.16 made on a custom network, and the outputs and transactions that AvalancheGo
 * 1.14.2 has after 1.10.19 linearized them. vectors/README.md says how that network was made. Arguments: URL of the AvalancheGo 1.14.2, data
 * directory of a Serac that joined it and was stopped, genesis file, upgrade file.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { dataFilesIn } from '../src/app/node/data-files.ts';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { loadNetworkGenesis } from '../src/avm/genesis/network-genesis.ts';
import { parseUpgradeFile } from '../src/avm/genesis/upgrade-file.ts';
import { getNetwork } from '../src/avm/network.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import { parseTx } from '../src/avm/tx/tx.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { parseHex, toHex } from '../src/base/bytes/hex.ts';
import { type Id, idOf, idText } from '../src/base/bytes/id.ts';
import { openState } from '../src/ledger/state/chain-state.ts';
import { openSharedMemory } from '../src/ledger/state/shared-memory.ts';
import { openStore } from '../src/ledger/store/store.ts';
import { openVertexStore } from '../src/ledger/vertices/vertex-store.ts';
import { createClient } from '../test/http.ts';

const [url = '', dataDir = '', genesisFile = '', upgradeFile = ''] = process.argv.slice(2);
const genesisJson = readFileSync(genesisFile, 'utf8');
const network = getNetwork(JSON.parse(genesisJson).networkID);
const upgrades = parseUpgradeFile(readFileSync(upgradeFile, 'utf8'));
const readData = (file: string) => readFileSync(new URL(`../src/avm/genesis/data/${file}`, import.meta.url));
const { x } = loadNetworkGenesis(network, genesisJson, { readData, unixSeconds: BigInt(Math.floor(Date.now() / 1000)) });

const store = openStore(openDatabase, { path: dataFilesIn(dataDir).database, networkID: network.id, genesis: x.blockchainID });
const state = openState(store, openSharedMemory(store), { id: x.blockchainID, genesis: idOf(x.genesis.bytes) });
const stored = openVertexStore(store, x.blockchainID, state.txBytes);
const vertices = stored.after(undefined, 100_000).map(({ id }) => stored.bytes(id) as Uint8Array);
const txIDs = new Set<Id>(stored.after(undefined, 100_000).flatMap((vertex) => vertex.txIDs));

const client = createClient(Number(new URL(url).port));
const call = async <T>(method: string, params: unknown): Promise<T> => {
  const { result, error } = await client.call('/ext/bc/X', method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
};
const show = createAddressFormatter('X', network.hrp);
const effects = [...txIDs].map((id) => effectsOf(parseTx(state.txBytes(id) as Uint8Array)));
const genesisEffects = x.genesis.assets.map(({ tx }) => effectsOf(tx));
const addresses = new Set([...effects, ...genesisEffects].flatMap(({ created }) => created.flatMap(({ output }) => output.addresses)));
const utxos = new Set<string>();
const balances: Record<string, unknown> = {};
for (const address of addresses) {
  const page = await call<{ utxos: string[] }>('avm.getUTXOs', { addresses: [show(address)], limit: 1024, encoding: 'hex' });
  for (const utxo of page.utxos) utxos.add(toHex(parseHex('hex', utxo)));
  balances[show(address)] = (await call<{ balances: unknown }>('avm.getAllBalances', { address: show(address) })).balances;
}
for (const id of txIDs) {
  const { status } = await call<{ status: string }>('avm.getTxStatus', { txID: idText(id) });
  if (status !== 'Accepted') throw new Error(`AvalancheGo has not accepted ${idText(id)}`);
}
const { block } = await call<{ block: { id: string } }>('avm.getBlockByHeight', { height: '0', encoding: 'json' });
client.close();
store.close();
writeFileSync(
  new URL('../vectors/dag.json', import.meta.url),
  `${JSON.stringify(
    {
      origin: 'vertices: AvalancheGo 1.9.16; stop vertex: 1.10.19; block 0, outputs and balances: 1.14.2, all on the same database',
      genesis: JSON.parse(genesisJson),
      upgrades: JSON.parse(readFileSync(upgradeFile, 'utf8')),
      blockchainID: idText(x.blockchainID),
      stopVertexID: idText(upgrades.cortinaXChainStopVertexID),
      block0: block.id,
      txs: txIDs.size,
      vertices: vertices.map(toHex),
      utxos: [...utxos].sort(),
      balances,
    },
    undefined,
    1,
  )}\n`,
);
