"""Environments and files in which credentials may be found. {home} is the case's own folder, {server} the
metadata server.

A case is (name, variables, config file, credentials file) with optional extra: `profile` that the caller
asks for, `files` beside the two, `ours` where our answer is meant to differ from botocore's (the code of
the error).
"""

KEYS = "aws_access_key_id = {0}\naws_secret_access_key = {0}-secret\n"
A, B, C = KEYS.format("AKIDA"), KEYS.format("AKIDB"), KEYS.format("AKIDC")
ENV = {"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "env-secret"}
ROLE = "role_arn = arn:aws:iam::123456789012:role/r\n"
WEB = {"AWS_WEB_IDENTITY_TOKEN_FILE": "{home}/token", "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/web"}
TOKEN = {"token": "oidc-token"}


def imds(mode, **more):
    return {
        "AWS_EC2_METADATA_DISABLED": "false",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": f"{{server}}/imds-{mode}",
        **more,
    }


def container(mode, **more):
    return {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{{server}}/container/{mode}", **more}


CASES = [
    ("nothing", {}, "", ""),
    # -- environment
    ("environment", ENV, "", ""),
    ("environment, session token", {**ENV, "AWS_SESSION_TOKEN": "t"}, "", ""),
    (
        "environment, security token first",
        {**ENV, "AWS_SESSION_TOKEN": "t", "AWS_SECURITY_TOKEN": "s"},
        "",
        "",
    ),
    ("environment, empty token", {**ENV, "AWS_SESSION_TOKEN": "t", "AWS_SECURITY_TOKEN": ""}, "", ""),
    ("environment, account", {**ENV, "AWS_ACCOUNT_ID": "123456789012"}, "", ""),
    ("environment, expiry ahead", {**ENV, "AWS_CREDENTIAL_EXPIRATION": "2099-01-01T00:00:00Z"}, "", ""),
    ("environment, expired", {**ENV, "AWS_CREDENTIAL_EXPIRATION": "2020-01-01T00:00:00Z"}, "", ""),
    ("environment, expiry no time", {**ENV, "AWS_CREDENTIAL_EXPIRATION": "soon"}, "", ""),
    ("environment, no secret", {"AWS_ACCESS_KEY_ID": "AKIDENV"}, "", "[default]\n" + A),
    ("environment, empty secret", {**ENV, "AWS_SECRET_ACCESS_KEY": ""}, "", "[default]\n" + A),
    ("environment, empty key", {**ENV, "AWS_ACCESS_KEY_ID": ""}, "", "[default]\n" + A),
    ("environment, only a secret", {"AWS_SECRET_ACCESS_KEY": "s"}, "", "[default]\n" + A),
    ("environment before files", ENV, "[default]\n" + A, "[default]\n" + B),
    ("environment before a named profile", {**ENV, "AWS_PROFILE": "p"}, "", "[p]\n" + A),
    ("a profile asked for before the environment", ENV, "", "[p]\n" + A, {"profile": "p"}),
    # -- files and profiles
    ("credentials file", {}, "", "[default]\n" + A),
    ("credentials file, token", {}, "", "[default]\n" + A + "aws_session_token = t\n"),
    (
        "credentials file, both tokens",
        {},
        "",
        "[default]\n" + A + "aws_session_token = t\naws_security_token = s\n",
    ),
    ("credentials file, account", {}, "", "[default]\n" + A + "aws_account_id = 123456789012\n"),
    ("credentials file, no secret", {}, "[default]\n" + B, "[default]\naws_access_key_id = A\n"),
    ("credentials file, only a secret", {}, "[default]\n" + B, "[default]\naws_secret_access_key = A\n"),
    ("config file", {}, "[default]\n" + A, ""),
    ("config file, no secret", {}, "[default]\naws_access_key_id = A\n", ""),
    ("credentials file before config file", {}, "[default]\n" + A, "[default]\n" + B),
    ("profile by AWS_PROFILE", {"AWS_PROFILE": "p"}, "", "[default]\n" + A + "[p]\n" + B),
    (
        "profile by AWS_DEFAULT_PROFILE first",
        {"AWS_PROFILE": "p", "AWS_DEFAULT_PROFILE": "q"},
        "",
        "[p]\n" + A + "[q]\n" + B,
    ),
    ("profile with a prefix in the config file", {"AWS_PROFILE": "p"}, "[profile p]\n" + A, ""),
    ("profile without the prefix is none", {"AWS_PROFILE": "p"}, "[p]\n" + A, ""),
    ("prefix in the credentials file is a name", {"AWS_PROFILE": "p"}, "", "[profile p]\n" + A),
    ("profile that does not exist", {"AWS_PROFILE": "nowhere", **ENV}, "", "[default]\n" + A),
    ("profile asked for that does not exist", {}, "", "[default]\n" + A, {"profile": "nowhere"}),
    ("profile named emptily", {"AWS_PROFILE": ""}, "", "[default]\n" + A),
    ("profile default asked for but absent", {"AWS_PROFILE": "default"}, "", "[p]\n" + A),
    ("quoted profile", {"AWS_PROFILE": "two words"}, '[profile "two words"]\n' + A, ""),
    ("single-quoted profile", {"AWS_PROFILE": "two words"}, "[profile 'two words']\n" + A, ""),
    ("unquoted words are no profile", {"AWS_PROFILE": "two"}, "[profile two words]\n" + A, ""),
    ("open quote", {"AWS_PROFILE": "x"}, "[profile 'x]\n" + A, ""),
    ("escaped quote", {"AWS_PROFILE": 'a"b'}, '[profile "a\\"b"]\n' + A, ""),
    ("tab in header", {"AWS_PROFILE": "p"}, "[profile\tp]\n" + A, ""),
    ("profiles with a longer word", {"AWS_PROFILE": "p"}, "[profiles p]\n" + A, ""),
    (
        "files elsewhere",
        {"AWS_SHARED_CREDENTIALS_FILE": "{home}/other", "AWS_CONFIG_FILE": "$HOME/none"},
        "",
        "[default]\n" + A,
        {"files": {"other": "[default]\n" + B}},
    ),
    (
        "file by a variable and a tilde",
        {"AWS_SHARED_CREDENTIALS_FILE": "~/${{SUB}}/other", "SUB": "sub"},
        "",
        "",
        {"files": {"sub/other": "[default]\n" + B}},
    ),
    (
        "file that does not exist",
        {"AWS_SHARED_CREDENTIALS_FILE": "/nowhere/x"},
        "[default]\n" + A,
        "[default]\n" + B,
    ),
    # -- INI
    ("upper case names", {}, "", "[default]\nAWS_ACCESS_KEY_ID = A\nAws_Secret_Access_Key = s\n"),
    ("colons", {}, "", "[default]\naws_access_key_id: A\naws_secret_access_key: s=:\n"),
    ("no spaces", {}, "", "[default]\naws_access_key_id=A\naws_secret_access_key=s\n"),
    (
        "comments",
        {},
        "",
        "# x\n[default]\n; y\naws_access_key_id = A # not one\n  # one\naws_secret_access_key = s ; not one\n",
    ),
    ("carriage returns", {}, "", "[default]\r\naws_access_key_id = A\r\naws_secret_access_key = s\r\n"),
    ("indented names", {}, "", "[default]\n  aws_access_key_id = A\n  aws_secret_access_key = s\n"),
    ("deeper line goes on", {}, "", "[default]\naws_access_key_id = A\n  more\naws_secret_access_key = s\n"),
    (
        "blank lines in a value",
        {},
        "",
        "[default]\naws_access_key_id = A\n\n\n  more\naws_secret_access_key = s\n\n\n",
    ),
    ("header with something behind", {}, "", "[default] # x\n" + A),
    ("header with spaces inside", {}, "", "[ default ]\n" + A),
    ("DEFAULT section", {"AWS_PROFILE": "p"}, "", "[DEFAULT]\n" + A + "[p]\nregion = r\n"),
    ("section twice", {}, "", "[default]\n" + A + "[default]\n" + B),
    ("name twice", {}, "", "[default]\n" + A + A),
    ("no section", {}, "", A),
    ("line without delimiter", {}, "", "[default]\nnonsense\n" + A),
    ("value without name", {}, "", "[default]\n= x\n" + A),
    ("broken config file", {**ENV}, "[default\nx\n", ""),
    ("not UTF-8", {}, "", b"[default]\naws_access_key_id = \xff\n"),
    ("nested block", {}, "[default]\ns3 =\n  x = y\n" + A, ""),
    ("nested block that is none", {}, "[default]\ns3 =\n  nonsense\n" + A, ""),
    ("key as a block", {}, "", "[default]\naws_access_key_id =\naws_secret_access_key = s\n"),
    # -- roles
    ("role", {"AWS_PROFILE": "r"}, "[profile r]\n" + ROLE + "source_profile = a\n", "[a]\n" + A),
    (
        "role with all settings",
        {"AWS_PROFILE": "r"},
        "[profile r]\n"
        + ROLE
        + "source_profile = a\nexternal_id = e\nduration_seconds = 1800\nrole_session_name = me\n",
        "[a]\n" + A,
    ),
    (
        "role, duration no number",
        {"AWS_PROFILE": "r"},
        "[profile r]\n" + ROLE + "source_profile = a\nduration_seconds = long\n",
        "[a]\n" + A,
    ),
    ("role of the default profile", {}, "[default]\n" + ROLE + "source_profile = a\n", "[a]\n" + A),
    ("role in the credentials file", {}, "", "[default]\n" + ROLE + "source_profile = a\n[a]\n" + A),
    ("role before own keys", {}, "[default]\n" + ROLE + "source_profile = default\n" + A, ""),
    ("role, source is itself without keys", {}, "[default]\n" + ROLE + "source_profile = default\n", ""),
    (
        "role of a role",
        {"AWS_PROFILE": "r"},
        "[profile r]\n"
        + ROLE
        + "source_profile = q\n[profile q]\nrole_arn = arn:aws:iam::123456789012:role/q\n"
        + "source_profile = a\n[profile a]\n"
        + A,
        "",
    ),
    (
        "role, source with keys and role",
        {"AWS_PROFILE": "r"},
        "[profile r]\n"
        + ROLE
        + "source_profile = q\n[profile q]\nrole_arn = arn:aws:iam::123456789012:role/q\nsource_profile = a\n"
        + B
        + "[profile a]\n"
        + A,
        "",
    ),
    (
        "role loop",
        {"AWS_PROFILE": "r"},
        "[profile r]\n" + ROLE + "source_profile = q\n[profile q]\n" + ROLE + "source_profile = r\n",
        "",
    ),
    (
        "role loop of the second",
        {"AWS_PROFILE": "r"},
        "[profile r]\n" + ROLE + "source_profile = q\n[profile q]\n" + ROLE + "source_profile = q\n",
        "",
    ),
    (
        "role, source does not exist",
        {"AWS_PROFILE": "r"},
        "[profile r]\n" + ROLE + "source_profile = gone\n",
        "",
    ),
    (
        "role, source without keys",
        {"AWS_PROFILE": "r"},
        "[profile r]\n" + ROLE + "source_profile = q\n[profile q]\nregion = x\n",
        "",
    ),
    (
        "role, source with half a pair",
        {"AWS_PROFILE": "r"},
        "[profile r]\n" + ROLE + "source_profile = q\n[profile q]\naws_secret_access_key = s\n",
        "",
    ),
    ("role, no source", {"AWS_PROFILE": "r"}, "[profile r]\n" + ROLE, "[default]\n" + A),
    (
        "role, two sources",
        {"AWS_PROFILE": "r", **{k: v for k, v in ENV.items()}},
        "[profile r]\n" + ROLE + "source_profile = a\ncredential_source = Environment\n",
        "[a]\n" + A,
        {"profile": "r"},
    ),
    (
        "role, named source environment",
        ENV,
        "[profile r]\n" + ROLE + "credential_source = Environment\n",
        "",
        {"profile": "r"},
    ),
    (
        "role, named source environment empty",
        {},
        "[profile r]\n" + ROLE + "credential_source = Environment\n",
        "",
        {"profile": "r"},
    ),
    (
        "role, named source unknown",
        ENV,
        "[profile r]\n" + ROLE + "credential_source = Moon\n",
        "",
        {"profile": "r"},
    ),
    (
        "role, named source in another case",
        ENV,
        "[profile r]\n" + ROLE + "credential_source = environment\n",
        "",
        {"profile": "r"},
    ),
    (
        "role, named source container",
        container("ok"),
        "[profile r]\n" + ROLE + "credential_source = EcsContainer\n",
        "",
        {"profile": "r"},
    ),
    (
        "role, named source instance",
        imds("v2"),
        "[profile r]\n" + ROLE + "credential_source = Ec2InstanceMetadata\n",
        "",
        {"profile": "r"},
    ),
    (
        "role, denied",
        {"AWS_PROFILE": "r"},
        "[profile r]\nrole_arn = arn:aws:iam::123456789012:role/denied\nsource_profile = a\n",
        "[a]\n" + A,
    ),
    (
        "role, environment first",
        {"AWS_PROFILE": "r", **ENV},
        "[profile r]\n" + ROLE + "source_profile = a\n",
        "[a]\n" + A,
    ),
    (
        "role, source is a web identity",
        {"AWS_PROFILE": "r"},
        "[profile r]\n"
        + ROLE
        + "source_profile = w\n[profile w]\nrole_arn = arn:aws:iam::123456789012:role/w\n"
        + "web_identity_token_file = {home}/token\n",
        "",
        {"files": TOKEN},
    ),
    (
        "role, MFA",
        {"AWS_PROFILE": "r"},
        "[profile r]\n" + ROLE + "source_profile = a\nmfa_serial = arn:mfa\n",
        "[a]\n" + A,
        {"ours": "credentials_invalid"},
    ),
    # -- web identity
    ("web identity", WEB, "", "[default]\n" + A, {"files": TOKEN}),
    ("web identity, session name", {**WEB, "AWS_ROLE_SESSION_NAME": "me"}, "", "", {"files": TOKEN}),
    ("web identity, token with a line break", WEB, "", "", {"files": {"token": "oidc-token\n"}}),
    ("web identity, no file", WEB, "", "[default]\n" + A),
    (
        "web identity, no role",
        {"AWS_WEB_IDENTITY_TOKEN_FILE": "{home}/token"},
        "",
        "[default]\n" + A,
        {"files": TOKEN},
    ),
    (
        "web identity, empty file name",
        {**WEB, "AWS_WEB_IDENTITY_TOKEN_FILE": ""},
        "",
        "[default]\n" + A,
        {"files": TOKEN},
    ),
    ("web identity, keys in the environment first", {**WEB, **ENV}, "", "", {"files": TOKEN}),
    (
        "web identity of a profile",
        {"AWS_PROFILE": "w"},
        "[profile w]\n" + ROLE + "web_identity_token_file = {home}/token\nrole_session_name = me\n",
        "",
        {"files": TOKEN},
    ),
    (
        "web identity of a profile, role by the environment",
        {"AWS_PROFILE": "w", "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/e"},
        "[profile w]\n" + ROLE + "web_identity_token_file = {home}/token\n",
        "",
        {"files": TOKEN},
    ),
    (
        "web identity, profile asked for ignores the environment",
        WEB,
        "[profile w]\n" + A,
        "",
        {"files": TOKEN, "profile": "w"},
    ),
    (
        "web identity, denied",
        {**WEB, "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/denied"},
        "",
        "[default]\n" + A,
        {"files": TOKEN},
    ),
    # -- container
    ("container", container("ok"), "", ""),
    ("container, token", container("needs-token", AWS_CONTAINER_AUTHORIZATION_TOKEN="Basic abc"), "", ""),
    (
        "container, token file first",
        container(
            "ok",
            AWS_CONTAINER_AUTHORIZATION_TOKEN="not this",
            AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE="{home}/token",
        ),
        "",
        "",
        {"files": TOKEN},
    ),
    (
        "container, token file absent",
        container("ok", AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE="{home}/token"),
        "",
        "",
    ),
    ("container, token with a line break", container("ok", AWS_CONTAINER_AUTHORIZATION_TOKEN="a\nb"), "", ""),
    (
        "container, token file with a line break",
        container("ok", AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE="{home}/token"),
        "",
        "",
        {"files": {"token": "abc\n"}},
    ),
    ("container, no token where one is needed", container("needs-token"), "", ""),
    ("container, no member Token", container("missing-token"), "", ""),
    ("container, not JSON", container("broken"), "", ""),
    ("container, down", container("error"), "", ""),
    ("container, another host", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/x"}, "", ""),
    (
        "container, a host that looks like loopback",
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1.example.invalid/x"},
        "",
        "",
    ),
    (
        "container, user in the address",
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.2@192.0.2.1/x"},
        "",
        "",
    ),
    (
        "container, relative to another host",
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@192.0.2.1/x"},
        "",
        "",
    ),
    ("container, no URL", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "nothing"}, "", ""),
    ("container after files", container("ok"), "", "[default]\n" + A),
    # -- instance
    ("instance", imds("v2"), "", ""),
    ("instance, version 1", imds("v1"), "", ""),
    ("instance, token forbidden", imds("forbidden"), "", ""),
    ("instance, version 1 forbidden by us", imds("v1", AWS_EC2_METADATA_V1_DISABLED="true"), "", ""),
    (
        "instance, version 1 forbidden in the profile",
        imds("v1"),
        "[default]\nec2_metadata_v1_disabled = true\n",
        "",
    ),
    ("instance, bad request", imds("bad"), "", ""),
    ("instance, token fails", imds("flaky"), "", ""),
    ("instance, no role", imds("no-role"), "", ""),
    ("instance, empty role", imds("empty"), "", ""),
    ("instance, role not usable", imds("unauthorized"), "", ""),
    ("instance, not JSON", imds("broken"), "", ""),
    ("instance, expired ones are stretched", imds("expired"), "", ""),
    ("instance, disabled", imds("v2", AWS_EC2_METADATA_DISABLED="true"), "", ""),
    (
        "instance, nobody there",
        {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"},
        "",
        "",
    ),
    (
        "instance, no URL",
        {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "no url"},
        "",
        "",
    ),
    ("instance, mode unknown", imds("v2", AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE="ipv5"), "", ""),
    ("instance, attempts no number", imds("v2", AWS_METADATA_SERVICE_NUM_ATTEMPTS="many"), "", ""),
    (
        "instance, endpoint in the profile",
        {"AWS_EC2_METADATA_DISABLED": "false"},
        "[default]\nec2_metadata_service_endpoint = {server}/imds-v2\n",
        "",
    ),
    ("instance after container", {**imds("v2"), **container("ok")}, "", ""),
    # -- known, but refused here
    (
        "single sign-on",
        {"AWS_PROFILE": "s"},
        "[profile s]\nsso_account_id = 1\nsso_role_name = r\nsso_start_url = u\nsso_region = x\n",
        "",
        {"ours": "credentials_invalid"},
    ),
    ("single sign-on, incomplete", {"AWS_PROFILE": "s"}, "[profile s]\nsso_account_id = 1\n", ""),
    ("login", {"AWS_PROFILE": "s"}, "[profile s]\nlogin_session = x\n", "", {"ours": "credentials_invalid"}),
    (
        "credential process",
        {"AWS_PROFILE": "s"},
        "[profile s]\ncredential_process = /bin/echo x\n",
        "",
        {"ours": "credentials_invalid"},
    ),
    (
        "keys before credential process",
        {"AWS_PROFILE": "s"},
        "[profile s]\ncredential_process = /bin/echo x\n",
        "[s]\n" + A,
    ),
    (
        "files of AWS's first tools",
        {"AWS_CREDENTIAL_FILE": "{home}/old"},
        "",
        "",
        {"files": {"old": "AWSAccessKeyId=A\nAWSSecretKey=s\n"}, "ours": "credentials_missing"},
    ),
]
