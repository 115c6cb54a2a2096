import type { TxFault } from '../../avm/verify/fault.ts';
import type { CodecFault } from '../../base/codec/fault.ts';
import type { MempoolFault } from './known-faults.ts';

/** What an error code means to a client, and what to do about it: one sentence each. */
export type ErrorAdvice = readonly [meaning: string, remedy: string];

/** The advice for each code of a union; a code without advice is a compile error. */
export type AdviceByCode<C extends string> = { readonly [code in C]: ErrorAdvice };

const rebuild = 'Fetch the UTXOs again and build a new transaction.';
const sortList = 'Sort the list before signing; wallet libraries do this.';

export const transactionCodes: AdviceByCode<TxFault['code']> = {
  TX_WRONG_NETWORK: ['The transaction names another network.', 'Build it with the network ID of `info.getNetworkID`, given in `want`.'],
  TX_WRONG_CHAIN: ['The transaction names another blockchain.', 'Build it with the blockchain ID in `want`.'],
  TX_MEMO_TOO_LARGE: ['The memo is longer than `max` bytes.', 'Shorten the memo.'],
  TX_EMPTY_ASSET_ID: ['An input or output has an asset ID of zeros.', 'Set the asset ID of the part in `path`.'],
  TX_NO_VALUE_INPUT: ['An input has the amount 0.', 'Remove that input.'],
  TX_NO_VALUE_OUTPUT: ['An output has the amount 0.', 'Remove that output.'],
  TX_OUTPUT_UNSPENDABLE: ['An output requires more signatures than it has addresses.', 'Lower `threshold` or add addresses.'],
  TX_OUTPUT_UNOPTIMIZED: ['An output has addresses but the threshold 0.', 'Set `threshold` to at least 1, or remove the addresses.'],
  TX_ADDRESSES_NOT_SORTED: ['The addresses of an output are not sorted by their bytes, or one occurs twice.', sortList],
  TX_SIGNATURE_INDICES_NOT_SORTED: ['The signature indices of an input are not ascending, or one occurs twice.', sortList],
  TX_PAYLOAD_TOO_LARGE: ['The payload of an NFT is longer than `max` bytes.', 'Shorten the payload.'],
  TX_OUTPUTS_NOT_SORTED: ['The outputs are not sorted by their bytes.', sortList],
  TX_INPUTS_NOT_SORTED: ['The inputs are not sorted by transaction ID and index, or one occurs twice.', sortList],
  TX_OVERFLOW: ['The sum of the amounts of one asset does not fit into 64 bits.', 'Lower the amounts.'],
  TX_INSUFFICIENT_FUNDS: [
    'The inputs hold `have` of the asset; the outputs hold `amount` and `fee` is burned on top.',
    'Add inputs, or lower the outputs by the missing amount.',
  ],
  TX_NAME_TOO_SHORT: ["The asset's name is empty.", 'Give it a name.'],
  TX_NAME_TOO_LONG: ["The asset's name is longer than `max` bytes.", 'Shorten the name.'],
  TX_NAME_WHITESPACE: ["The asset's name begins or ends with a space.", 'Trim the name.'],
  TX_NAME_CHARACTER: ["The asset's name contains a character that is not allowed.", 'Use ASCII letters, digits and spaces.'],
  TX_SYMBOL_TOO_SHORT: ["The asset's symbol is empty.", 'Give it a symbol.'],
  TX_SYMBOL_TOO_LONG: ["The asset's symbol is longer than `max` bytes.", 'Shorten the symbol.'],
  TX_SYMBOL_CHARACTER: ["The asset's symbol contains a character that is not allowed.", 'Use ASCII capital letters.'],
  TX_DENOMINATION_TOO_LARGE: ['The denomination is larger than `max`.', 'Lower the denomination.'],
  TX_NO_INITIAL_STATES: ['The new asset has no initial state.', 'Add an initial state for at least one feature extension.'],
  TX_UNKNOWN_FX: ['An initial state names a feature extension that does not exist.', 'Use 0 (secp256k1), 1 (NFT) or 2 (property).'],
  TX_INITIAL_STATES_NOT_SORTED: ['The initial states are not sorted by feature extension, or one occurs twice.', sortList],
  TX_NO_OPERATIONS: ['The OperationTx has no operation.', 'Add an operation, or send a BaseTx.'],
  TX_OPERATIONS_NOT_SORTED: ['The operations are not sorted by their bytes, or one occurs twice.', sortList],
  TX_UTXO_IDS_NOT_SORTED: ['The inputs of an operation are not sorted, or one occurs twice.', sortList],
  TX_DOUBLE_SPEND: ['The transaction spends the same output twice.', 'Spend each output once.'],
  TX_NO_IMPORT_INPUTS: [
    'The ImportTx imports nothing.',
    'Add an imported input; `avm.getUTXOs` with `sourceChain` lists the UTXOs to import.',
  ],
  TX_NO_EXPORT_OUTPUTS: ['The ExportTx exports nothing.', 'Add an exported output.'],
  TX_CREDENTIAL_COUNT: [
    'The number of credentials differs from the number of inputs and operations.',
    'Sign every input and operation: `want` credentials.',
  ],
  TX_UTXO_NOT_FOUND: [
    'The output does not exist or is spent: `spentBy` is the transaction that spent it, `createdByStatus` the status of the transaction that creates it.',
    'If `spentBy` is this transaction, it is accepted already; if `createdByStatus` is `Processing`, wait or use `wallet.issueTx`; otherwise fetch the UTXOs again.',
  ],
  TX_IMPORT_UNKNOWN: [
    'A joined node does not run the P- and C-Chain, so it does not know what they exported and cannot verify the import.',
    'Issue it through an AvalancheGo node of the network.',
  ],
  TX_ASSET_MISMATCH: ['The input has another asset than the output it spends.', 'Use the asset ID in `want`.'],
  TX_ASSET_NOT_FOUND: ['No accepted transaction has the ID of the asset.', 'Check the asset ID, or wait until its creation is accepted.'],
  TX_NOT_AN_ASSET: ['The asset ID belongs to a transaction that creates no asset.', 'Use the ID of a CreateAssetTx.'],
  TX_INCOMPATIBLE_FX: [
    'The asset was created without the feature extension of this part.',
    'Use an asset that has it, or another kind of output.',
  ],
  TX_CANNOT_TRANSFER: ['Outputs of this feature extension cannot be inputs.', 'Move them with an OperationTx.'],
  TX_WRONG_CREDENTIAL_TYPE: ['The credential is of another feature extension than what it signs.', 'Use the kind in `want`.'],
  TX_WRONG_UTXO_TYPE: ['The operation or input does not fit the kind of output it spends.', 'Spend an output of the kind in `want`.'],
  TX_WRONG_UTXO_COUNT: ['The operation spends another number of outputs than its kind does.', 'Give it `want` outputs.'],
  TX_WRONG_AMOUNT: ['The input has another amount than the output it spends.', rebuild],
  TX_WRONG_MINT_OUTPUT: ['The new mint output has other owners than the spent one.', 'Repeat the owners of the spent mint output.'],
  TX_WRONG_GROUP: ['The NFT operation has another group than the output it spends.', 'Use the group in `want`.'],
  TX_WRONG_PAYLOAD: ['The NFT operation has another payload than the output it spends.', 'Repeat the payload of the spent output.'],
  TX_TIME_LOCKED: ['The output is locked until the Unix time in `locktime`.', 'Spend it later, or spend another output.'],
  TX_TOO_MANY_SIGNERS: ['The input names more signers than the threshold of the output.', 'Name exactly `want` signers.'],
  TX_TOO_FEW_SIGNERS: ['The input names fewer signers than the threshold of the output.', 'Name exactly `want` signers.'],
  TX_SIGNATURE_COUNT: ['The credential holds another number of signatures than the input names.', 'Sign once for each signature index.'],
  TX_SIGNER_OUT_OF_BOUNDS: ['A signature index is beyond the addresses of the output.', 'Use the position of the address in the output.'],
  TX_WRONG_SIGNATURE: [
    'The signature is by `got`; the output belongs to `want`.',
    'Sign with the key of `want`, and sign the exact bytes that are issued: a change after signing also causes this error.',
  ],
  TX_ALREADY_ACCEPTED: [
    'The transaction has no inputs, because the fee is 0, and is accepted already; it can be accepted once.',
    'Change the memo, which gives it another ID.',
  ],
  TX_SAME_CHAIN: ['The source or destination of the import or export is this chain itself.', 'Use another chain.'],
  TX_UNKNOWN_CHAIN: [
    'The source or destination of the import or export is an unknown chain.',
    'Check the chain ID with `info.getBlockchainID`.',
  ],
  TX_WRONG_SUBNET: ['The other chain belongs to another subnet.', 'Use a chain of the same subnet.'],
  SIGNATURE_MUTATED: ['A signature has a high S value.', 'Sign with a library that produces a low S.'],
  SIGNATURE_INVALID: ['No public key can be recovered from a signature.', 'Sign again: 64 bytes and a recovery number from 0 to 3.'],
  SIGNATURE_COMPRESSED: ['The recovery number of a signature is out of range.', 'Use a recovery number from 0 to 3.'],
};

export const codecCodes: AdviceByCode<CodecFault['code']> = {
  CODEC_TOO_SHORT: ['The bytes end in the middle of a field.', 'Send all bytes of the transaction.'],
  CODEC_LIST_TOO_LONG: ['A list is longer than the maximum.', 'Check how the transaction was encoded.'],
  CODEC_EMPTY_ELEMENT: ['A list has elements of zero bytes.', 'Check how the transaction was encoded.'],
  CODEC_UNKNOWN_TYPE: ['A type ID does not exist in the AVM.', 'Send a transaction of the X-Chain, not of the P- or C-Chain.'],
  CODEC_WRONG_TYPE: ['A type is used where it is not allowed.', 'Send a transaction of the X-Chain, not of the P- or C-Chain.'],
  CODEC_VERSION: ['The bytes begin with another codec version than 0.', 'Send the bytes of a signed transaction, beginning with 0x0000.'],
  CODEC_TOO_LARGE: ['The transaction is longer than `max` bytes.', 'Split it into several.'],
  CODEC_TRAILING_BYTES: ['Bytes follow the end of the transaction.', 'Send the signed transaction and nothing after it.'],
};

export const mempoolCodes: AdviceByCode<MempoolFault['code']> = {
  MEMPOOL_DUPLICATE: ['The transaction is already in the mempool.', 'Wait until it is accepted.'],
  MEMPOOL_TX_TOO_LARGE: ['The transaction is longer than `max` bytes.', 'Split it into several.'],
  MEMPOOL_FULL: ['The mempool is full.', 'Issue the transaction again later.'],
  MEMPOOL_DROPPED_BY_CALLER: ['`dev.dropTx` removed the transaction.', 'Issue it again if it is still wanted.'],
  MEMPOOL_CONFLICT: [
    'The transaction `spentBy` in the mempool spends the same output (`utxoID`).',
    'Wait until it is accepted, or spend other outputs.',
  ],
  WALLET_QUEUE_FULL: [
    'The queue of `wallet.issueTx` is full: 65,536 transactions, or 64 MiB together with the mempool.',
    'Issue the transaction again when some are accepted.',
  ],
};
