import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import type { AwsJsonService } from '../../../lib/lambda/aws/json-service.ts';
import { createSecretsManager } from '../../../lib/lambda/aws/secrets-manager.ts';
import { serve } from '../../service/http-server.ts';

interface StoredVersion {
  text: string | undefined;
  stages: Set<string>;
}

/** An emulator of one secret and one distribution, with the HTTP interfaces that the SDK clients use. */
export class AwsStandIn {
  readonly versions = new Map<string, StoredVersion>();
  /** The header values that the distribution sends to its origin, newest last. */
  readonly sent: string[] = [];
  /** Operations whose requests the emulator refuses. */
  readonly down = new Set<string>();
  secrets!: AwsJsonService;
  cloudFront!: CloudFrontClient;

  close: () => void = () => undefined;

  static async start(text: string): Promise<AwsStandIn> {
    const standIn = new AwsStandIn(text);
    const { url: endpoint, close } = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const target = String(request.headers['x-amz-target'] ?? '');
      const operation = target === '' ? `${request.method}Distribution` : target.replace('secretsmanager.', '');
      if (standIn.down.has(operation)) {
        response.writeHead(400).end(JSON.stringify({ __type: 'AccessDeniedException' }));
      } else if (target === '') {
        response.writeHead(200, { etag: `"${standIn.sent.length}"`, 'content-type': 'text/xml' });
        response.end(standIn.#distribution(request.method === 'PUT' ? body : undefined));
      } else {
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
        response.end(JSON.stringify(standIn.#secret(operation, JSON.parse(body))));
      }
    });
    const place = { region: 'us-east-1', endpoint };
    const credentials = () => ({ access_key_id: 'a', secret_access_key: 'b' });
    standIn.secrets = createSecretsManager({ ...place, credentials, triesMax: 1 });
    const ofSdk = { accessKeyId: 'a', secretAccessKey: 'b' };
    standIn.cloudFront = new CloudFrontClient({ ...place, credentials: ofSdk, maxAttempts: 1 });
    standIn.close = () => {
      standIn.secrets.close();
      standIn.cloudFront.destroy();
      void close();
    };
    return standIn;
  }

  private constructor(text: string) {
    this.versions.set('first', { text, stages: new Set(['AWSCURRENT']) });
  }

  /** The text of the distribution's response to readers. */
  get current(): string {
    return this.#staged('AWSCURRENT')?.text ?? '';
  }

  /** Adds a version without a value, as Secrets Manager does before it calls the function. */
  beginRotation(token: string): void {
    this.versions.set(token, { text: undefined, stages: new Set(['AWSPENDING']) });
  }

  /** True while a rotation prevents another one from starting. */
  get isRotating(): boolean {
    return this.#staged('AWSPENDING') !== undefined && this.#staged('AWSPENDING') !== this.#staged('AWSCURRENT');
  }

  #staged(stage: string): StoredVersion | undefined {
    return [...this.versions.values()].find(({ stages }) => stages.has(stage));
  }

  #secret(operation: string, input: { ClientRequestToken: string; SecretString: string; VersionStages: string[] }) {
    if (operation === 'GetSecretValue') return { SecretString: this.current };
    if (operation === 'DescribeSecret') {
      const stages = [...this.versions].map(([id, kept]) => [id, [...kept.stages]]);
      return { VersionIdsToStages: Object.fromEntries(stages) };
    }
    const version = this.versions.get(input.ClientRequestToken) ?? { text: undefined, stages: new Set<string>() };
    for (const stage of input.VersionStages) {
      this.#staged(stage)?.stages.delete(stage);
      version.stages.add(stage);
    }
    this.versions.set(input.ClientRequestToken, { ...version, text: input.SecretString });
    return {};
  }

  #distribution(update: string | undefined): string {
    const given = /<HeaderValue>([^<]*)<\/HeaderValue>/.exec(update ?? '')?.[1];
    if (given !== undefined) this.sent.push(given);
    const header = `<HeaderName>x-sluice-origin</HeaderName><HeaderValue>${this.sent.at(-1) ?? ''}</HeaderValue>`;
    const config = `<Origins><Quantity>1</Quantity><Items><Origin><Id>api</Id><DomainName>a.example.org</DomainName><CustomHeaders><Quantity>1</Quantity><Items><OriginCustomHeader>${header}</OriginCustomHeader></Items></CustomHeaders></Origin></Items></Origins>`;
    const shell = `<CallerReference>c</CallerReference><Comment></Comment><Enabled>true</Enabled>${config}`;
    return update === undefined
      ? `<DistributionConfig>${shell}</DistributionConfig>`
      : `<Distribution><Id>D</Id><DistributionConfig>${shell}</DistributionConfig></Distribution>`;
  }
}
