import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { cdkContext } from './offline-app.ts';
import { synthesize, type Templates } from './synthesized.ts';

it('a synth creates the same templates each time, without findings of the offline validator', () => {
  const first = synthesize({}, { isValidated: true });
  expect(toJson(synthesize())).toEqual(toJson(first));
}, 120_000);

it('a synth creates valid templates with every setting set', () => {
  const settings = {
    name: 'tide-data',
    homeRegion: 'eu-west-1',
    userIssuer: { issuer: 'https://id.example.org/', audience: 'web' },
    adminIdentityIds: ['3f1c'],
    ciIssuers: [{ issuer: 'https://ci.example.org', kind: 'gitlab', algorithms: ['ES256'], audience: 'sluice' }],
    corsOrigins: ['https://app.example.org', 'http://localhost:3000'],
    dataDomain: { name: 'data.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/a' },
    audience: 'https://old.example.org',
    virtualHostBase: 'data.example.org',
    apiDomain: { name: 'api.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/b' },
    secretScanningKeysUrl: 'https://api.github.com/meta/public_keys/secret_scanning',
    throttles: { apiPerSecond: 50, exchangesPerIpPer5Minutes: 10 },
    logRetentionDays: 7,
    alarmsEmail: 'operations@example.org',
    removalPolicy: 'destroy',
    priceClass: 'PriceClass_100',
    tableReadUnitsMax: 1000,
    tableWriteUnitsMax: 500,
    reservedConcurrency: { authorizer: 5, publicRevocation: 6, stream: 7 },
    monthlyBudget: 500,
    tags: { team: 'data' },
    terminationProtection: true,
  };
  expect(() => synthesize(settings, { isValidated: true })).not.toThrow();
}, 120_000);

it('a synth fails when the offline validator finds a fault', () => {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sluice-invalid-'));
  const app = new App({ context: cdkContext(), outdir });
  new CfnResource(new Stack(app, 'Some'), 'Queue', { type: 'AWS::SQS::Queue', properties: { QueueNames: 'a' } });
  expect(() => app.synth()).toThrow(/QueueNames/);
  rmSync(outdir, { recursive: true });
});

it('every feature flag that the CDK recommends is set or silenced', () => {
  const recommended: Record<string, unknown> = createRequire(import.meta.url)(
    'aws-cdk-lib/recommended-feature-flags.json',
  );
  const context = cdkContext();
  expect(Object.keys(recommended).length).toBeGreaterThan(50);
  expect(Object.keys(recommended).filter((flag) => !(flag in context))).toEqual([]);
});

function toJson(templates: Templates) {
  return Object.fromEntries(Object.entries(templates).map(([name, template]) => [name, template.toJSON()]));
}
