import { describe, expect, test } from 'bun:test';
import identities from '../../../vectors/identity.json' with { type: 'json' };
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { nodeIdOfCertificate, nodeIdText } from '../../base/bytes/node-id.ts';
import { blsSigner, isBlsSignature, verifyPossessionSignature } from '../identity/bls.ts';
import { newKeyPair } from '../identity/certificate.ts';
import { signStaking, verifyStakingSignature } from '../identity/staking-certificate.ts';
import { decodeMessage, type MessageOfKind } from '../messages/message.ts';
import { PeerError } from './fault.ts';
import { type HandshakeRules, verifyHandshake } from './handshake.ts';
import { claimedAddressBytes, readIp } from './signed-ip.ts';

const named = <K extends 'handshake' | 'peerList'>(name: string) =>
  decodeMessage(fromHex(vectors.entries.find((entry) => entry.name === name)!.hex).subarray(4)) as MessageOfKind<K>;
const address = { ip: Uint8Array.of(127, 0, 0, 1), port: 9651, timestamp: 0x65f00000n };

describe('signed addresses', () => {
  test('the bytes that are signed, and their BLS signature', async () => {
    const bytes = claimedAddressBytes(address);
    expect(toHex(bytes)).toBe('00000000000000000000ffff7f00000125b30000000065f00000');
    const signer = blsSigner(fromHex('2a'.padStart(64, '0')));
    const signature = await signer.signPossession(bytes);
    expect(toHex(signature)).toBe(
      'ac7c880e9cafe46fcd8ec0246e1d1e1c7066d3c893dbacd4e5f4f25b777f031a169880014d5a9956f90f7ba9680297cf0d86337f3ff73582d647adc3fbf74305954d5950eded7fd20d5ecfd6dd0ad61f144e0a5b5b00d5735bb90074707bff21',
    );
    const key = await signer.publicKey();
    expect(await verifyPossessionSignature(key, bytes, signature)).toBe(true);
    expect(await verifyPossessionSignature(key, bytes.subarray(1), signature)).toBe(false);
  });
  test('every entry of a captured peer list is signed by its certificate', () => {
    const { peers } = named<'peerList'>('peer_list_first_after_handshake');
    for (const { certificate, signature, ip, port, timestamp } of peers) {
      expect(verifyStakingSignature(certificate, claimedAddressBytes({ ip, port, timestamp }), signature)).toBe(true);
      expect(verifyStakingSignature(certificate, claimedAddressBytes({ ip, port: port + 1, timestamp }), signature)).toBe(false);
    }
  });
  test('IPv4-mapped IPv6 is IPv4', () => {
    expect(readIp(fromHex('00000000000000000000ffff7f000001'))).toEqual(Buffer.from([127, 0, 0, 1]));
    expect(readIp(fromHex('20010db8000000000000000000000001')).length).toBe(16);
    for (const length of [0, 3, 5, 15, 17]) expect(() => readIp(new Uint8Array(length))).toThrow(PeerError);
  });
  test('points of the group of signatures', async () => {
    const infinity = Uint8Array.of(0xc0, ...new Uint8Array(95));
    expect(await isBlsSignature(infinity)).toBe(true);
    expect(await isBlsSignature(named<'handshake'>('handshake_from_avalanchego_validator').ipBlsSignature)).toBe(true);
    for (const bytes of [new Uint8Array(0), new Uint8Array(96), infinity.subarray(1), Uint8Array.of(...infinity.subarray(0, 95), 1)])
      expect(await isBlsSignature(bytes)).toBe(false);
  });
});

describe('handshakes', () => {
  const validators = vectors.rpc.find(({ name }) => name.startsWith('platform.getValidatorsAt'))!.json as unknown as Record<
    string,
    { publicKey: string }
  >;
  const pair = newKeyPair(1_700_000_000n);
  const own: MessageOfKind<'handshake'> = {
    ...named<'handshake'>('handshake_to_avalanchego_p256_non_validator'),
    ip: address.ip,
    port: address.port,
    ipSigningTime: address.timestamp,
    ipTlsSignature: signStaking(pair.privateKey, claimedAddressBytes(address)),
  };
  const rules: HandshakeRules = {
    networkId: 12345,
    version: { major: 1, minor: 14, patch: 2 },
    minimumVersion: { major: 1, minor: 14, patch: 0 },
    nowSeconds: own.myTime,
    maxClockDifference: 60n,
    currentAcps: new Set([900]),
    verifyTlsSignature: (message, signature) => verifyStakingSignature(pair.certificate, message, signature) === true,
  };
  const fieldOf = (change: Partial<typeof own>, otherRules: Partial<HandshakeRules> = {}): string => {
    try {
      verifyHandshake({ ...own, ...change }, { ...rules, ...otherRules });
      return 'none';
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return error.fault.code === 'PEER_BAD_HANDSHAKE' ? error.fault.field : error.fault.code;
    }
  };

  const bytesOf = ({ ip, port, ipSigningTime }: typeof own) => claimedAddressBytes({ ip, port, timestamp: ipSigningTime });
  const certificates = identities.localStakers.map(({ certificatePem }) =>
    Buffer.from(certificatePem.replace(/-----[^-]+-----|\s/g, ''), 'base64'),
  );
  /** The certificate of the local validator whose TLS key signed the address. */
  const certificateOf = (handshake: typeof own) =>
    certificates.find((certificate) => verifyStakingSignature(certificate, bytesOf(handshake), handshake.ipTlsSignature))!;
  /** Whether the BLS signature is by the key that this validator registered. */
  const verifyBls = (handshake: typeof own) => {
    const { publicKey } = validators[nodeIdText(nodeIdOfCertificate(certificateOf(handshake)))]!;
    return verifyPossessionSignature(fromHex(publicKey.slice(2)), bytesOf(handshake), handshake.ipBlsSignature);
  };

  test('of a real validator: TLS and BLS signatures are by its registered keys', async () => {
    const handshake = named<'handshake'>('handshake_from_avalanchego_validator');
    expect(await verifyBls(handshake)).toBe(true);
    const verifyTlsSignature: HandshakeRules['verifyTlsSignature'] = (message, signature) =>
      verifyStakingSignature(certificateOf(handshake), message, signature) === true;
    const peer = verifyHandshake(handshake, { ...rules, nowSeconds: handshake.myTime, verifyTlsSignature });
    expect(peer.version).toEqual({ name: 'avalanchego', major: 1, minor: 14, patch: 2 });
    expect([peer.address.port, peer.upgradeTime, peer.allSubnets]).toEqual([25401, 1607144400n, true]);
  });
  test('with other BLS signatures, which AvalancheGo refused', async () => {
    const verify = (variant: string) => verifyBls(named<'handshake'>(`handshake_sent_as_validator_bls_${variant}`));
    expect(await verify('ok')).toBe(true);
    // Of another message, with another tag, by the key of another validator.
    for (const variant of ['othermsg', 'sigtag_refused', 'wrong']) expect([variant, await verify(variant)]).toEqual([variant, false]);
  });
  test('every check', () => {
    expect(fieldOf({})).toBe('none');
    expect(fieldOf({ networkId: 1 })).toBe('networkId');
    expect([fieldOf({ myTime: own.myTime + 60n }), fieldOf({ myTime: own.myTime - 60n })]).toEqual(['none', 'none']);
    expect([fieldOf({ myTime: own.myTime + 61n }), fieldOf({ myTime: own.myTime - 61n })]).toEqual(['myTime', 'myTime']);
    expect(fieldOf({ supportedAcps: [900, 1], objectedAcps: [1] })).toBe('none');
    expect(fieldOf({ supportedAcps: [900], objectedAcps: [900] })).toBe('objectedAcps');
    expect(fieldOf({ knownPeers: undefined })).toBe('none');
    expect(fieldOf({ knownPeers: { filter: new Uint8Array(0), salt: new Uint8Array(0) } })).toBe('PEER_BAD_FILTER');
    expect(fieldOf({ ip: new Uint8Array(5) })).toBe('PEER_BAD_IP');
    expect(fieldOf({ ip: fromHex('00000000000000000000ffff7f000001') })).toBe('none');
    expect(fieldOf({ port: 65536 })).toBe('port');
    expect(fieldOf({ port: 65536 + 9651 })).toBe('none');
    expect(fieldOf({ port: 9652 })).toBe('ipTlsSignature');
    expect(fieldOf({ ipSigningTime: own.myTime + 61n })).toBe('ipSigningTime');
    const client = (major: number, minor: number, patch: number) => fieldOf({ client: { name: 'other', major, minor, patch } });
    expect([client(1, 14, 0), client(1, 99, 0), client(1, 13, 9), client(2, 0, 0)]).toEqual(['none', 'none', 'client', 'client']);
    expect(fieldOf({ client: undefined })).toBe('client');
  });
});
