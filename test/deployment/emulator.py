"""
Runs the moto server with what a deployment needs and moto's CloudFormation lacks: more resource types, outputs of other
stacks, updates of exports, and some refusals of CloudFormation and Lambda.

Usage: emulator.py
"""

import json
from urllib.parse import urlparse

from moto.cloudformation import cloudformation_backends, models, parsing, responses
from moto.cloudformation.exceptions import ValidationError
from moto.cloudfront.models import cloudfront_backends
from moto.events.models import EventBus
from moto.s3.models import s3_backends
from moto.secretsmanager.models import secretsmanager_backends
from moto.server import main
from moto.ssm.models import Parameter, ssm_backends

ACCOUNT = "123456789012"
# The home region of the test, and the region of the edge.
REGIONS = ["eu-west-1", "us-east-1"]
LAMBDA_ENVIRONMENT_BYTES_MAX = 4096


class Recorded:
    """A resource whose name and properties the emulator records, without the service behind it."""

    names = set()

    def __init__(self, generated_name, kind, properties, account, region):
        short = kind.split("::")[-1]
        self.kind, self.properties, self.account, self.region = kind, properties, account, region
        self.name = properties.get(f"{short}Name") or properties.get("Name")
        self.identity = (kind, region, self.name)
        if self.name and self.identity in Recorded.names:
            raise ValidationError(message=f"{kind} {self.name} already exists")
        Recorded.names.add(self.identity)
        self.id = self.name or generated_name
        service = kind.split("::")[1].lower() if "::" in kind else "custom"
        self.arn = f"arn:aws:{service}:{region}:{account}:{short.lower()}/{self.id}"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
        return cls(resource_name, kwargs["ResourceType"], cloudformation_json["Properties"], account_id, region_name)

    @classmethod
    def update_from_cloudformation_json(cls, original_resource, cloudformation_json, **_):
        original_resource.properties = cloudformation_json["Properties"]
        return original_resource

    def delete(self, *_):
        Recorded.names.discard(self.identity)

    @property
    def physical_resource_id(self):
        return self.id

    def get_cfn_attribute(self, attribute):
        if attribute.lower().endswith("arn"):
            return self.arn
        if attribute == "ProviderURL":
            return f"https://cognito-idp.{self.region}.amazonaws.com/{self.id}"
        return f"{self.id}.{attribute}".lower()

    @classmethod
    def has_cfn_attr(cls, _):
        return True

    def is_created(self):
        return True


class Secret(Recorded):
    """A secret that functions can read."""

    def __init__(self, *given):
        super().__init__(*given)
        generated = self.properties["GenerateSecretString"]
        password = "k" * generated["PasswordLength"]
        template = generated.get("SecretStringTemplate")
        text = password if template is None else json.dumps(json.loads(template) | {generated["GenerateStringKey"]: password})
        self.backend = secretsmanager_backends[self.account][self.region]
        self.arn = json.loads(self.backend.create_secret(self.id, text, None, None, [], None, None, [], False))["ARN"]

    @property
    def physical_resource_id(self):
        return self.arn

    def delete(self, *given):
        super().delete(*given)
        self.backend.delete_secret(self.arn, None, True)


class Distribution(Recorded):
    """A distribution whose cache functions can invalidate."""

    etag = "1"

    def __init__(self, *given):
        super().__init__(*given)
        self.backend = cloudfront_backends[self.account]["aws"]
        self.backend.distributions[self.id] = self
        self.location = self.arn

    def advance(self):
        pass

    def delete(self, *given):
        super().delete(*given)
        del self.backend.distributions[self.id]


class Table(Recorded):
    """A table whose indexes can change one at a time, as in DynamoDB."""

    @classmethod
    def update_from_cloudformation_json(cls, original_resource, cloudformation_json, **given):
        before, after = (
            {index["IndexName"] for index in properties["GlobalSecondaryIndexes"]}
            for properties in (original_resource.properties, cloudformation_json["Properties"])
        )
        if len(before ^ after) > 1:
            raise ValidationError(message="Cannot perform more than one GSI creation or deletion in a single update")
        return super().update_from_cloudformation_json(original_resource, cloudformation_json, **given)


OWN = {
    "AWS::CloudFront::Distribution": Distribution,
    "AWS::DynamoDB::Table": Table,
    # Moto would run the function in a container.
    "AWS::Lambda::EventSourceMapping": Recorded,
    "AWS::SecretsManager::Secret": Secret,
}


def resource_class_from_type(kind):
    return OWN.get(kind) or parsing.get_model_map().get(kind, Recorded)


# Attributes that templates read, and moto lacks.
EventBus.physical_resource_id = property(lambda bus: bus.name)
Parameter.get_cfn_attribute = lambda parameter, _: parameter.value

create_named = parsing.parse_resource_and_generate_name


def parse_resource_and_generate_name(logical_id, resource_json, resources):
    made, resource, name = create_named(logical_id, resource_json, resources)
    properties = resource["Properties"]
    if resource["Type"] == "AWS::SSM::Parameter":
        properties.setdefault("Name", name)
    if resource["Type"] == "AWS::Lambda::Function":
        variables = properties.get("Environment", {}).get("Variables", {})
        size = len(json.dumps(variables, separators=(",", ":")).encode())
        if size > LAMBDA_ENVIRONMENT_BYTES_MAX:
            raise ValidationError(message=f"{name}: the environment variables exceed 4KB ({size} bytes)")
    return made, resource, name


update_resource = parsing.parse_and_update_resource


def update_or_keep(logical_id, resource_json, resources, account_id, region_name):
    """Keeps a resource for which moto has no update."""
    return update_resource(logical_id, resource_json, resources, account_id, region_name) or resources[logical_id]


parsing.parse_and_update_resource = update_or_keep
parsing.resource_class_from_type = resource_class_from_type
parsing.parse_resource_and_generate_name = parse_resource_and_generate_name

clean_json = parsing.clean_json


def clean_json_with_outputs(value, resources):
    """Resolves Fn::GetStackOutput too."""
    wanted = value.get("Fn::GetStackOutput") if isinstance(value, dict) else None
    if wanted is None:
        return clean_json(value, resources)
    backend = cloudformation_backends[ACCOUNT][wanted["Region"]]
    return backend.get_stack(wanted["StackName"]).output_map[wanted["OutputName"]].value


parsing.clean_json = clean_json_with_outputs


def exports_of(stack):
    return {export.name: export.value for export in stack.exports}


def refuse_lost_exports(backend, stack, before, after):
    for name in [name for name in before if after.get(name) != before[name]]:
        imported = f'"Fn::ImportValue": "{name}"'
        users = [other.name for other in backend.stacks.values() if imported in json.dumps(other.template_dict)]
        if users:
            raise ValidationError(message=f"Export {name} cannot change, because {', '.join(users)} use it")


create_stack = models.CloudFormationBackend.create_stack
update_stack = models.CloudFormationBackend.update_stack
delete_stack = models.CloudFormationBackend.delete_stack


def create_or_refuse(self, name, *given, **more):
    """Refuses with a status that clients do not retry, and leaves no stack behind."""
    try:
        return create_stack(self, name, *given, **more)
    except Exception as error:
        self.stacks = {key: stack for key, stack in self.stacks.items() if stack.name != name}
        raise ValidationError(message=f"{name} failed: {error}") from error


def update_with_exports(self, name, template, role_arn, parameters, tags):
    stack = self.get_stack(name)
    before = exports_of(stack)
    try:
        # The only parameter is the bootstrap version, and moto has no previous value of a default.
        update_stack(self, name, template, role_arn, [], tags)
    except Exception as error:
        raise ValidationError(message=f"{name} failed: {error}") from error
    after = exports_of(stack)
    refuse_lost_exports(self, stack, before, after)
    for name in before:
        self.exports.pop(name, None)
    self.exports.update({export.name: export for export in stack.exports})
    return stack


def delete_unused(self, name_or_stack_id):
    for stack in [stack for stack in self.stacks.values() if name_or_stack_id in (stack.name, stack.stack_id)]:
        refuse_lost_exports(self, stack, exports_of(stack), {})
    delete_stack(self, name_or_stack_id)


models.CloudFormationBackend.create_stack = create_or_refuse
models.CloudFormationBackend.update_stack = update_with_exports
models.CloudFormationBackend.delete_stack = delete_unused


def template_of(url, account_id, partition):
    """Reads a template by a path-style URL on this server."""
    bucket, key = urlparse(url).path.lstrip("/").split("/", 1)
    return s3_backends[account_id][partition].get_object(bucket, key).value.decode()


responses.get_stack_from_s3_url = template_of

if __name__ == "__main__":
    for region in REGIONS:
        # The part of a bootstrapped account that the CDK uses here.
        ssm_backends[ACCOUNT][region].put_parameter(
            "/cdk-bootstrap/hnb659fds/version", "", "30", "String", "", "", False, [], "text", None, None
        )
        s3_backends[ACCOUNT]["aws"].create_bucket(f"cdk-hnb659fds-assets-{ACCOUNT}-{region}", region)
    main(["-H", "127.0.0.1", "-p", "0"])
