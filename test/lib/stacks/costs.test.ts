import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deployedResources, fixedCosts, pricesOf } from '../../../bench/costs.ts';
import { synthesize } from './synthesized.ts';

interface Resource {
  Type: string;
  Properties?: { Rules?: readonly unknown[] };
}

it('the costs without traffic are those of the resources in the templates', () => {
  const all = Object.values(synthesize()).flatMap((template): Resource[] =>
    Object.values(template.toJSON()['Resources']),
  );
  const ofType = (type: string) => all.filter(({ Type }) => Type === type);
  const acls = ofType('AWS::WAFv2::WebACL');
  expect(deployedResources).toEqual({
    webAcls: acls.length,
    webAclRules: acls.flatMap(({ Properties }) => Properties?.Rules ?? []).length,
    kmsKeys: ofType('AWS::KMS::Key').length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
  });
});

it('the page about costs shows these resources, their prices, and the date of the prices', () => {
  const page = readFileSync('docs/operating/costs.md', 'utf8');
  const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const { webAcls, webAclRules, kmsKeys, secrets } = deployedResources;
  const [acls, rules, keys, secretCount] = [webAcls, webAclRules, kmsKeys, secrets].map((count) => words[count]);
  expect(page).toContain(`${acls} web ACLs with ${rules} rules, ${keys} KMS keys, and ${secretCount} secrets`);
  const { firewall, secrets: stored } = fixedCosts();
  const cells = [0, firewall, 0, 0, 0, stored, 0].map((dollars) => dollars.toFixed(2)).join(' | ');
  expect(page).toContain(`| a deployment without use | ${cells} | **${(firewall + stored).toFixed(2)}** |`);
  expect(page).toContain(`list prices of ${pricesOf}`);
});
