import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { getNetwork } from '../network.ts';
import { parseGenesisConfig } from './avalanchego-json.ts';
import { genesisUtxos, parseAvmGenesis } from './avm-genesis.ts';
import { blockchainId, cChainDefinition, vmIds, xChainDefinition } from './blockchain-id.ts';
import { GenesisError } from './fault.ts';
import { genesisBlock, stopVertexId } from './genesis-block.ts';
import { type GenesisDataFile, loadNetworkGenesis } from './network-genesis.ts';
import { buildPlatformGenesis, platformBlockId } from './platform-genesis.ts';
import { buildXGenesis } from './x-genesis.ts';

const golden = JSON.parse(readFileSync('vectors/genesis.json', 'utf8'));
const vectors = JSON.parse(readFileSync('vectors/genesis-config.json', 'utf8')) as {
  configs: { name: string; networkID: number; startTime: number; text: string | null; ids: { [name: string]: string } }[];
};

const readData = (file: GenesisDataFile) => readFileSync(new URL(`./data/${file}`, import.meta.url));
const localText = Buffer.from(readData('local.json')).toString('utf8');
/** Within the local network's third period of 270 days. */
const env = { readData, unixSeconds: 1_791_000_000n + 5n };

describe('standard networks have the IDs that AvalancheGo reports', () => {
  for (const want of golden.networks) {
    test(want.network, () => {
      const network = getNetwork(want.networkID);
      const { x, c } = loadNetworkGenesis(network, undefined, env);
      expect(idText(x.blockchainID)).toBe(want.chains.X.blockchainID);
      expect(idText(c.blockchainID)).toBe(want.chains.C.blockchainID);
      expect(`0x${sha256Hex(x.genesis.bytes)}`).toBe(want.xGenesisSha256);
      const [asset] = x.genesis.assets;
      const [wantAsset] = want.genesisAssets;
      expect([asset.alias, idText(asset.tx.id), asset.tx.bytes.length]).toEqual([wantAsset.alias, wantAsset.txID, wantAsset.txBytesLength]);
      const utxos = genesisUtxos(asset);
      expect(utxos.length).toBe(wantAsset.outputs);
      for (const { outputIndex, utxoID } of wantAsset.utxos) expect(idText(utxos[outputIndex]?.id as Id)).toBe(utxoID);
      const block = genesisBlock(x.blockchainID, network.upgrades);
      expect([idText(block.id), `0x${toHex(block.bytes)}`]).toEqual([want.genesisBlock.id, want.genesisBlock.hexNC]);
    });
  }

  test('the stop vertex ID of a chain without a DAG', () => {
    const { x } = loadNetworkGenesis(getNetwork(12345), undefined, env);
    expect(idText(stopVertexId(x.blockchainID))).toBe('3LdUD428gni3AFYAooqcTiN3xPGiLE7XdHowi9CsbNGH1i7QY');
  });

  test('EVM chain IDs of the C-Chain', () => {
    const idOf = (id: number) => loadNetworkGenesis(getNetwork(id), undefined, env).c.evmChainID;
    expect([1, 5, 12345, 1337].map(idOf)).toEqual([43_114, 43_113, 43_112, 43_112]);
  });

  test('VM IDs', () => {
    for (const [name, id] of Object.entries(vmIds)) expect(idText(id)).toBe(golden.vmIDs[name]);
  });

  test('block 0 of P-Chain and C-Chain on local, as a running AvalancheGo reported them', () => {
    const { p, c } = loadNetworkGenesis(getNetwork(12345), undefined, env);
    expect(idText(p.genesisBlockID)).toBe('2kdALCW3F7vR7MkpYLC4m7yhyByiSTT3g5AzYcZGWhiRnq7YYr');
    expect(idText(c.genesisBlockID as Id)).toBe('jXM4J36kLkSjgg1XgdrSPGtqAHxwok4NdcSx8j1hCmGUna9Ac');
  });
});

describe('the genesis of a configuration is the one AvalancheGo builds', () => {
  for (const { name, networkID, startTime, text, ids } of vectors.configs) {
    test(name, () => {
      const config = { ...parseGenesisConfig(text ?? localText), networkID, startTime: BigInt(startTime) };
      const bytes = buildXGenesis(config);
      const chains = [xChainDefinition(bytes), cChainDefinition(config.cChainGenesis)] as const;
      const assetID = parseAvmGenesis(bytes).assets[0].tx.id;
      const platform = buildPlatformGenesis(config, assetID, chains);
      expect({
        xBlockchainID: idText(blockchainId(networkID, chains[0])),
        cBlockchainID: idText(blockchainId(networkID, chains[1])),
        avaxAssetID: idText(assetID),
        pGenesisBlockID: idText(platformBlockId(platform)),
        pGenesisSha256: sha256Hex(platform),
        pGenesisLength: platform.length,
      }).toEqual(ids as never);
    });
  }

  test('local and fuji, byte for byte', () => {
    const fuji = vectors.configs.find((config) => config.name === 'fuji')?.text as string;
    expect(`0x${toHex(buildXGenesis(parseGenesisConfig(localText)))}`).toBe(golden.networks[0].xGenesisHexNC);
    expect(`0x${toHex(buildXGenesis(parseGenesisConfig(fuji)))}`).toBe(golden.networks[1].xGenesisHexNC);
  });

  test('a custom network from its file', () => {
    const { text, ids } = vectors.configs.find((config) => config.name === 'mixed') as (typeof vectors.configs)[number];
    const { x, p, c } = loadNetworkGenesis(getNetwork(4242), text as string, env);
    expect([idText(x.blockchainID), idText(p.genesisBlockID)]).toEqual([ids.xBlockchainID as string, ids.pGenesisBlockID as string]);
    expect(c.genesisBlockID).toBeUndefined();
  });

  test('an unknown network without a file has the genesis of local with its own network ID', () => {
    const { ids } = vectors.configs.find((config) => config.networkID === 1337) as (typeof vectors.configs)[number];
    const { x, p, c } = loadNetworkGenesis(getNetwork(1337), undefined, env);
    expect([x.blockchainID, p.genesisBlockID, c.blockchainID].map(idText)).toEqual([
      ids.xBlockchainID,
      ids.pGenesisBlockID,
      ids.cBlockchainID,
    ] as string[]);
    expect(p.startTime).toBe(1_791_000_000n);
  });
});

test('invalid genesis bytes are rejected', () => {
  const good = readData('fuji.bin');
  for (let size = 0; size < good.length; size++) expect(() => parseAvmGenesis(good.subarray(0, size))).toThrow();
  expect(() => parseAvmGenesis(Buffer.concat([good, Buffer.of(0)]))).toThrow('trailing buffer space');
  expect(() => parseAvmGenesis(Buffer.alloc(6))).toThrow(GenesisError);
});
