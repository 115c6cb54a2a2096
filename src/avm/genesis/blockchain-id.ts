import { type Id, idOf, zeroId } from '../../base/bytes/id.ts';
import { pack } from '../../base/codec/pack.ts';
import { fxs } from '../tx/fx.ts';
import { PlatformTx } from './platform-types.ts';

/** The fields of a chain's CreateChainTx. */
export type ChainDefinition = { readonly name: string; readonly vmID: Id; readonly fxIDs: readonly Id[]; readonly genesis: Uint8Array };

/** The P-Chain transaction that creates this chain at the network's genesis. AvalancheGo: vms/platformvm/genesis/genesis.go, New. */
export const createChainTx = (networkID: number, chain: ChainDefinition): PlatformTx => ({
  unsigned: {
    kind: 'CreateChainTx',
    networkID,
    blockchainID: zeroId,
    outputs: [],
    inputs: [],
    memo: new Uint8Array(0),
    subnetID: zeroId,
    chainName: Buffer.from(chain.name, 'utf8'),
    vmID: chain.vmID,
    fxIDs: [...chain.fxIDs],
    genesisData: chain.genesis,
    subnetAuth: { kind: 'secp256k1fx.Input', sigIndices: [] },
  },
  credentials: [],
});

/** A blockchain's ID is the ID of the transaction that creates it. */
export const blockchainId = (networkID: number, chain: ChainDefinition): Id => idOf(pack(PlatformTx, createChainTx(networkID, chain)));

/** A VM's ID is its name in ASCII, padded with zeros. AvalancheGo: utils/constants/vm_ids.go. */
const vmId = (name: string): Id => Buffer.from(name, 'ascii').toString('hex').padEnd(64, '0') as Id;

export const vmIds = { platformvm: vmId('platformvm'), avm: vmId('avm'), evm: vmId('evm') } as const;

export const avmChainDefinition = (name: string, genesis: Uint8Array): ChainDefinition => ({
  name,
  vmID: vmIds.avm,
  fxIDs: fxs.map((fx) => fx.id),
  genesis,
});

export const xChainDefinition = (genesis: Uint8Array): ChainDefinition => avmChainDefinition('X-Chain', genesis);

export const cChainDefinition = (genesis: string): ChainDefinition => ({
  name: 'C-Chain',
  vmID: vmIds.evm,
  fxIDs: [],
  genesis: Buffer.from(genesis, 'utf8'),
});
