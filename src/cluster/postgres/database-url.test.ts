import { describe, expect, test } from 'bun:test';
import { type DatabaseUrlError, describeDatabase, parseDatabaseUrl, splitHosts } from './database-url.ts';

const reasonOf = (text: string): string => {
  try {
    parseDatabaseUrl(text);
  } catch (error) {
    return (error as DatabaseUrlError).fault.reason;
  }
  return 'accepted';
};

describe('the URL of a database', () => {
  test('has one host or several, each with its port', () => {
    const { hosts, user, password, database, reads } = parseDatabaseUrl(
      'postgres://me:pw@a:5433,b,[::1]:7/name?target_session_attrs=primary',
    );
    expect(hosts).toEqual([
      { host: 'a', port: 5433 },
      { host: 'b', port: 5432 },
      { host: '::1', port: 7 },
    ]);
    expect([user, password, database, reads]).toEqual(['me', 'pw', 'name', 'primary']);
    expect(parseDatabaseUrl('postgresql:///?host=a,b&port=1,2').hosts).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ]);
    expect(parseDatabaseUrl('postgres://').hosts).toEqual([{ host: 'localhost', port: 5432 }]);
  });

  test('has any characters in its user, password and database, percent-encoded, and a Unix socket as a host', () => {
    const secret = 'p@ss/w:o?r#d %&="\'\\é';
    const text = `postgres://${encodeURIComponent('a@b')}:${encodeURIComponent(secret)}@%2Fvar%2Frun:5433/${encodeURIComponent('x/y')}`;
    const { hosts, user, password, database } = parseDatabaseUrl(text);
    expect([hosts, user, password, database]).toEqual([[{ host: '/var/run', port: 5433 }], 'a@b', secret, 'x/y']);
    expect(describeDatabase(text)).toBe('/var/run:5433/x/y');
    expect(parseDatabaseUrl('postgres:///name?host=/var/run/postgresql').hosts).toEqual([{ host: '/var/run/postgresql', port: 5432 }]);
  });

  test('is split into one URL per host, which keep everything else', () => {
    const text = `postgres://a%40b:${encodeURIComponent('x,y@:/?')}@h1,[::1]:5/n%2Fm?schema=My%20Schema&sslmode=verify-full&sslrootcert=/ca.pem`;
    const whole = parseDatabaseUrl(text);
    expect(splitHosts(text).map(parseDatabaseUrl)).toEqual(whole.hosts.map((host) => ({ ...whole, hosts: [host] })));
  });

  test('is refused with a reason, which never has the password', () => {
    const reasons = {
      'mysql://a/b': 'it must begin with postgres://',
      'postgres://a/b?options=-csearch_path': 'the parameter "options" is not known',
      'postgres://a/b?sslmode=always': 'sslmode must be one of disable, prefer',
      'postgres://a/b?sslcert=x': 'sslcert and sslkey must be given together',
      'postgres://a/b?target_session_attrs=standby': 'target_session_attrs must be one of any, prefer-standby',
      'postgres://me:sec%ret@a/b': 'the password has a % that is not followed by two hex digits; write % as %25',
      'postgres://a:0/b': 'the port of host 1',
      'postgres://a:x/b': 'host 1 is not host:port',
      'postgres://me:secret/more@a/b': 'host 1 is not host:port; in a password, / is written as %2F',
      [`postgres://${'a,'.repeat(40)}/b`]: 'at most 16',
    };
    for (const [text, reason] of Object.entries(reasons)) {
      expect(reasonOf(text)).toContain(reason);
      expect(reasonOf(text)).not.toMatch(/sec%?ret/);
    }
  });
});
