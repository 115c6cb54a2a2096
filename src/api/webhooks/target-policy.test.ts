import { describe, expect, test } from 'bun:test';
import { messageOf } from '../../base/fault.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createSendMessage, type PostRequest } from './send-message.ts';
import { checkTargetAddress, parseTarget, type TargetPolicy } from './target-policy.ts';

const privateAddresses = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '64:ff9b::a00:1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:a00:1::1',
  'fd00:ec2::254',
];
const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '168.63.129.15',
  '168.63.129.17',
  '2606:4700::1111',
  '2a00:1450:4001::1',
];

describe('addresses', () => {
  test('private ones are refused, whatever their form', () => {
    for (const address of privateAddresses) expect(() => checkTargetAddress('host', address, 'public')).toThrow('not a public address');
    for (const address of publicAddresses) checkTargetAddress('host', address, 'public');
    for (const address of privateAddresses) checkTargetAddress('host', address, 'private');
  });

  test('a developer chain also reaches this machine, and nothing else that is private', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', ...publicAddresses]) checkTargetAddress('host', address, 'loopback');
    for (const address of ['10.0.0.1', '169.254.169.254', 'fd00::1', '0.0.0.0', '::'])
      expect(() => checkTargetAddress('host', address, 'loopback')).toThrow('not a public address');
  });

  test('spellings of a private address in a URL are refused', () => {
    for (const host of ['127.1', '0x7f.1', '2130706433', '017700000001', '[::ffff:7f00:1]', 'LOCALHOST', 'a.localhost', '10.0.0.1.'])
      expect(() => parseTarget(`http://${host}/`, 'public')).toThrow();
    expect(parseTarget('https://example.org/a?b=1', 'public').host).toBe('example.org');
  });
});

describe('sending', () => {
  const attempt = (url: string, owner?: string) => ({ url, owner, headers: {}, body: '{}', signal: new AbortController().signal });
  const open = (addresses: readonly string[], status = 200, policy: TargetPolicy = 'public') => {
    const posted: PostRequest[] = [];
    const post = async (request: PostRequest) => {
      posted.push(request);
      return status;
    };
    const { timing } = createVirtualTiming();
    return { posted, send: createSendMessage({ resolve: async () => addresses, post }, policy, '1.2.3', timing) };
  };

  test('the connection goes to the address that was checked', async () => {
    const { posted, send } = open(['93.184.215.14']);
    await send(attempt('https://example.org/hook'));
    expect(posted).toMatchObject([{ address: '93.184.215.14', headers: { 'user-agent': 'serac/1.2.3' } }]);
    expect(posted[0]?.url.host).toBe('example.org');
  });

  test('an address that takes no connection is followed by the next one of the name, and no other failure is', async () => {
    const tried: string[] = [];
    const { timing } = createVirtualTiming();
    const post = async ({ address }: PostRequest): Promise<number> => {
      tried.push(address);
      if (address === '127.0.0.1') return 200;
      throw Object.assign(new Error('no'), { code: address === '::1' ? 'ECONNREFUSED' : 'ECONNRESET' });
    };
    const sendTo = (...addresses: string[]) =>
      createSendMessage({ resolve: async () => addresses, post }, 'private', '1', timing)(attempt('http://localhost:8080/hook'));
    expect(await sendTo('::1', '127.0.0.1')).toBe(200);
    expect(tried).toEqual(['::1', '127.0.0.1']);
    await expect(sendTo('10.0.0.1', '127.0.0.1')).rejects.toThrow('the request to localhost:8080 failed: no');
    await expect(sendTo('::1')).rejects.toThrow('failed: no');
    expect(tried).toEqual(['::1', '127.0.0.1', '10.0.0.1', '::1']);
  });

  test('a name with a private address among its addresses is refused before anything is sent', async () => {
    for (const addresses of [['127.0.0.1'], ['93.184.215.14', '10.0.0.1'], ['::ffff:169.254.169.254']]) {
      const { posted, send } = open(addresses);
      expect(await send(attempt('http://rebinding.example/')).catch(messageOf)).toContain('not a public address');
      expect(posted).toEqual([]);
    }
    expect(await open([]).send(attempt('http://nowhere.example/')).catch(messageOf)).toContain('has no address');
  });

  test("a developer's chain sends to this machine for its operator, not for the owner of an API key", async () => {
    for (const url of ['http://127.0.0.1/', 'http://localhost/', 'http://rebinding.example/']) {
      const { posted, send } = open(['127.0.0.1'], 200, 'loopback');
      expect(await send(attempt(url, 'key')).catch(messageOf)).toContain('not a public address');
      expect(posted).toEqual([]);
      await send(attempt(url));
      expect(posted).toHaveLength(1);
      // The operator may allow it to all.
      await open(['127.0.0.1'], 200, 'private').send(attempt(url, 'key'));
    }
  });

  test('every status but 200 to 299 is a failure', async () => {
    for (const status of [0, 301, 307, 400, 410, 500])
      expect(await open(['1.1.1.1'], status).send(attempt('http://example.org/')).catch(messageOf)).toContain(`status ${status}`);
    for (const status of [200, 202, 204]) await open(['1.1.1.1'], status).send(attempt('http://example.org/'));
  });

  test('the time of a request begins with the resolution of its name, which later attempts share while it runs', async () => {
    const { timing, pass } = createVirtualTiming();
    const resolved = Promise.withResolvers<readonly string[]>();
    let resolutions = 0;
    const resolve = (): Promise<readonly string[]> => {
      resolutions++;
      return resolved.promise;
    };
    let posts = 0;
    const post = ({ signal }: PostRequest): Promise<number> => {
      posts++;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const send = createSendMessage({ resolve, post }, 'public', '1.2.3', timing);
    const results: string[] = [];
    const start = (): void => void send(attempt('http://slow.example/')).catch((error: Error) => results.push(error.message));
    for (let i = 0; i < 3; i++) {
      start();
      await pass(9999);
      expect(results).toHaveLength(i);
      await pass(1);
      expect(results[i]).toBe('the name slow.example has no address: no response in 10 s');
    }
    start();
    await pass(6000);
    resolved.resolve(['1.1.1.1']);
    await pass(3999);
    expect([posts, results.length, resolutions]).toEqual([1, 3, 1]);
    await pass(1);
    expect(results[3]).toBe('the request to slow.example failed: no response in 10 s');
  });
});
