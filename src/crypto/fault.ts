import { Fault } from '../fault.ts';

export type SignatureFault = { code: 'SIGNATURE_MUTATED' } | { code: 'SIGNATURE_INVALID' } | { code: 'SIGNATURE_COMPRESSED' };
export class SignatureError extends Fault<SignatureFault> {}
