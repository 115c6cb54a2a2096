import { refId } from '../../avm/tx/utxo.ts';
import { type Id, parseId } from '../../base/bytes/id.ts';
import { unlessFault } from '../../base/fault.ts';

/** The UTXO ID of a CB58 text or of `txID:index`; undefined if the text is neither. */
export function parseUtxoId(text: string): Id | undefined {
  const [id = '', index, ...more] = text.split(':', 3);
  if (more.length > 0 || (index !== undefined && !/^[0-9]{1,10}$/.test(index)) || Number(index ?? 0) > 0xffff_ffff) return undefined;
  const parsed = unlessFault(() => parseId(id));
  return index === undefined || parsed === undefined ? parsed : refId({ txID: parsed, outputIndex: Number(index) });
}
