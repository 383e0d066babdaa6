import { describe, expect, it } from 'vitest';
import { domain, propertiesOf, rightsByRole, synthesize } from './synthesized.ts';

const dataDomain = domain('data.example.org');
const keysOf = (settings: object) => {
  const { data, edge, api } = synthesize(settings);
  const own = propertiesOf(data, 'AWS::KMS::Key').filter(({ KeyUsage }) => KeyUsage === 'SIGN_VERIFY');
  return { data, edge, api, own, replicas: propertiesOf(edge, 'AWS::KMS::ReplicaKey') };
};

describe('the key of the issuer for storage', () => {
  it('does not exist without a domain for data', () => {
    expect(keysOf({})).toMatchObject({ own: [], replicas: [] });
  });

  it('has a multi-Region key that only signs, and a replica in the edge region', () => {
    const { data, edge, own, replicas } = keysOf({ dataDomain, homeRegion: 'eu-west-1' });
    expect(own).toMatchObject([{ KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY', MultiRegion: true }]);
    expect(replicas).toHaveLength(1);
    for (const template of [data, edge]) {
      const aliases = propertiesOf(template, 'AWS::KMS::Alias').map(({ AliasName }) => AliasName);
      expect(aliases).toContain('alias/sluice-identity-1');
    }
  });

  it('has no replica if the home region is the edge region', () => {
    expect(keysOf({ dataDomain })).toMatchObject({ own: [{ MultiRegion: true }], replicas: [] });
  });

  it('exists for each published number', () => {
    expect(keysOf({ dataDomain, identityKeys: [2, 1] }).own).toHaveLength(2);
  });

  it('is used only by the object function, the test of a connection, and the jobs of repositories, by its alias', () => {
    const templates = synthesize({ dataDomain });
    const users = Object.values(templates).flatMap((template) =>
      Object.entries(rightsByRole(template)).filter(([, statements]) =>
        statements.some(({ Action }) => Action.includes('kms:Sign')),
      ),
    );
    expect(users.map(([role]) => role.replace(/Role.*/, '')).toSorted()).toEqual([
      'runrepositoryjobs',
      'serveobject',
      'testdataconnection',
    ]);
    for (const [, statements] of users) {
      const [statement] = statements.filter(({ Action }) => Action.includes('kms:Sign'));
      expect(statement?.Action).toEqual(['kms:GetPublicKey', 'kms:Sign']);
      expect(statement?.Condition).toEqual({
        'ForAnyValue:StringEquals': { 'kms:ResourceAliases': ['alias/sluice-identity-1'] },
      });
    }
  });
});
