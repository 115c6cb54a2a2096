import { type InitialState, Output } from '../tx/output.ts';
import type { CreateAssetTx } from '../tx/unsigned.ts';
import { TxError } from './fault.ts';
import { verifyValue } from './fx-table.ts';
import { firstUnsortedEncodedIndex, firstUnsortedIndex } from './order.ts';
import { limits } from './rules.ts';
import { verifyEach } from './verify-each.ts';

/** Verifies name, symbol and denomination of a new asset, and that it has an initial state, in AvalancheGo's order. Lengths are in bytes. AvalancheGo: vms/avm/txs/executor/syntactic_verifier.go, CreateAssetTx. */
export function verifyDescription({ name, symbol, denomination, initialStates }: CreateAssetTx): void {
  const { minName, maxName, minSymbol, maxSymbol, maxDenomination } = limits;
  if (name.length < minName)
    throw new TxError(`name is too short, minimum size is ${minName}`, { code: 'TX_NAME_TOO_SHORT', size: name.length, min: minName });
  if (name.length > maxName)
    throw new TxError(`name is too long, maximum size is ${maxName}`, { code: 'TX_NAME_TOO_LONG', size: name.length, max: maxName });
  if (symbol.length < minSymbol)
    throw new TxError(`symbol is too short, minimum size is ${minSymbol}`, {
      code: 'TX_SYMBOL_TOO_SHORT',
      size: symbol.length,
      min: minSymbol,
    });
  if (symbol.length > maxSymbol)
    throw new TxError(`symbol is too long, maximum size is ${maxSymbol}`, {
      code: 'TX_SYMBOL_TOO_LONG',
      size: symbol.length,
      max: maxSymbol,
    });
  if (initialStates.length === 0) throw new TxError('assets must support at least one Fx', { code: 'TX_NO_INITIAL_STATES' });
  if (denomination > maxDenomination)
    throw new TxError('denomination is too large', { code: 'TX_DENOMINATION_TOO_LARGE', got: denomination, max: maxDenomination });
  const nameText = utf8(name);
  if (outerSpace.test(nameText)) throw new TxError('unexpected whitespace provided', { code: 'TX_NAME_WHITESPACE' });
  if (!lettersAndNumbers.test(nameText))
    throw new TxError("asset's name must be made up of only letters and numbers", { code: 'TX_NAME_CHARACTER' });
  if (!upperCase.test(utf8(symbol))) throw new TxError("asset's symbol must be all upper case letters", { code: 'TX_SYMBOL_CHARACTER' });
}

/**
 * Verifies the first outputs of a new asset. As in AvalancheGo, an output may be of another feature extension than its initial state.
 * AvalancheGo: vms/avm/txs/initial_state.go.
 */
export function verifyInitialStates({ initialStates }: CreateAssetTx): void {
  verifyEach('initialStates', initialStates, undefined, verifyInitialState);
  const index = firstUnsortedIndex(initialStates, (a, b) => a.fxIndex - b.fxIndex);
  if (index >= 0)
    throw new TxError('initial states not sorted and unique', { code: 'TX_INITIAL_STATES_NOT_SORTED', path: `initialStates[${index}]` });
}

function verifyInitialState({ fxIndex, outputs }: InitialState): void {
  if (fxIndex >= limits.fxCount) throw new TxError('unknown feature extension', { code: 'TX_UNKNOWN_FX', fxIndex, count: limits.fxCount });
  verifyEach('outputs', outputs, undefined, verifyValue);
  const index = firstUnsortedEncodedIndex(Output, outputs, 'equals allowed');
  if (index >= 0) throw new TxError('outputs not sorted', { code: 'TX_OUTPUTS_NOT_SORTED', path: `outputs[${index}]` });
}

/** Decodes UTF-8. Invalid bytes become U+FFFD, which is neither space nor letter, as in Go. */
const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Go's strings.TrimSpace uses the same Unicode property. */
const outerSpace = /^\p{White_Space}|\p{White_Space}$/u;
const lettersAndNumbers = /^[A-Za-z0-9 ]*$/;
const upperCase = /^[A-Z]*$/;
