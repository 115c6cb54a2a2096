import { encoded, method } from './method.ts';
import {
  bigIntegerText,
  encoding,
  flag,
  hexEncoding,
  id,
  integer,
  integerText,
  list,
  longText,
  oneOf,
  optional,
  record,
  text,
  u32,
  u64,
  wire,
} from './schema.ts';
import { BlockSchema, TxSchema } from './tx-json.ts';

const issueTx = method({ tx: longText(), encoding: optional(encoding()) }, record({ txID: id() }), 'tx');

const utxoCursor = record({ address: text(), utxo: text() });

/** `getUTXOs` of the X-, P- and C-Chain. */
export const getUTXOs = method(
  {
    addresses: list(text()),
    sourceChain: optional(text()),
    limit: optional(u32()),
    startIndex: optional(utxoCursor),
    encoding: optional(hexEncoding()),
  },
  record({ numFetched: integerText(), utxos: list(longText()), endIndex: utxoCursor, encoding: text() }),
  'addresses',
);

/** Methods of the X-Chain and of every other AVM chain: `avm.*`. AvalancheGo: vms/avm/service.go. */
export const avmRows = {
  getAllBalances: method(
    { address: text(), includePartial: optional(flag()) },
    record({ balances: list(record({ asset: text(), balance: bigIntegerText() })) }),
    'address',
  ),
  getAssetDescription: method(
    { assetID: text() },
    record({ assetID: id(), name: text(), symbol: text(), denomination: integerText() }),
    'assetID',
  ),
  getBalance: method(
    { address: text(), assetID: text(), includePartial: optional(flag()) },
    record({ balance: bigIntegerText(), utxoIDs: list(record({ txID: id(), outputIndex: integer() })) }),
  ),
  getBlock: method({ blockID: id(), encoding: optional(encoding()) }, encoded('block', wire(BlockSchema)), 'blockID'),
  getBlockByHeight: method({ height: u64(), encoding: optional(encoding()) }, encoded('block', wire(BlockSchema)), 'height'),
  getHeight: method({}, record({ height: integerText() })),
  getTx: method({ txID: id(), encoding: optional(encoding()) }, encoded('tx', wire(TxSchema)), 'txID'),
  getTxFee: method({}, record({ txFee: bigIntegerText(), createAssetTxFee: bigIntegerText() })),
  getTxStatus: method(
    { txID: id() },
    record({ status: oneOf(['Accepted', 'Processing', 'Rejected', 'Unknown']), reason: optional(text()), code: optional(text()) }),
    'txID',
  ),
  getUTXOs,
  issueTx,
};

/** Methods of the X-Chain's wallet: `wallet.*`. AvalancheGo: vms/avm/wallet_service.go. */
export const walletRows = { issueTx };
