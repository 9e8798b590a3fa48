"""The simulated API server as kubectl and helm see it."""

import json
import ssl
import subprocess
import urllib.error
import urllib.request

import pytest
from kubernetes_tools import ApiServer


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Shared: each test works in a namespace of its own."""
    shared = ApiServer(tmp_path_factory.mktemp("api")).start()
    yield shared
    assert shared.stop() == 0, (shared.folder / "server.log").read_text()


@pytest.fixture
def space(server, request):
    name = request.node.name.replace("_", "-").removeprefix("test-")[:60]
    server.kubectl("create", "namespace", name)
    return name


def text(*objects: dict) -> str:
    return "\n---\n".join(json.dumps(one) for one in objects)


def deployment(space: str, replicas: int = 2, image: str = "nginx") -> dict:
    pod = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": image}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": space},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": pod},
    }


def pod(space: str, name: str = "p1", **spec) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": space},
        "spec": {"containers": [{"name": "c", "image": "busybox"}]} | spec,
    }


WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 1},
                                    "replicas": {"type": "integer", "default": 1},
                                },
                            },
                            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
                        },
                    }
                },
            }
        ],
    },
}


# -- the server


def test_version_and_resources(server):
    assert json.loads(server.kubectl("version", "-o", "json"))["serverVersion"]["gitVersion"].startswith("v1.34.")
    names = server.kubectl("api-resources", "-o", "name").split()
    assert {"pods", "deployments.apps", "customresourcedefinitions.apiextensions.k8s.io"} <= set(names)


def test_a_new_cluster_has_what_eks_gives_it(server):
    assert {"default", "kube-node-lease", "kube-public", "kube-system"} <= set(
        server.kubectl("get", "ns", "-o", "jsonpath={.items[*].metadata.name}").split()
    )
    assert server.get("service", "kubernetes")["spec"]["clusterIP"] == "172.20.0.1"
    assert "gp2" in server.kubectl("get", "storageclass")
    assert "aws-node" in server.kubectl("-n", "kube-system", "get", "daemonsets")
    assert "0/2" in server.kubectl("-n", "kube-system", "get", "deployment", "coredns")


def test_explain(server):
    assert "rollingUpdate\t<RollingUpdateDeployment>" in server.kubectl("explain", "deployment.spec.strategy")


# -- who


def test_whoami(server):
    assert "arn:aws:iam::123456789012:user/admin" in server.kubectl("auth", "whoami")


def test_rights_of_an_access_policy(server):
    assert server.kubectl("auth", "can-i", "list", "pods", user="viewer").strip() == "yes"
    assert server.run("kubectl", "auth", "can-i", "delete", "pods", user="viewer").stdout.strip() == "no"
    assert server.run("kubectl", "-n", "kube-system", "auth", "can-i", "list", "pods", user="viewer").stdout.strip() == "no"
    refused = server.kubectl_fails("-n", "kube-system", "get", "pods", user="viewer")
    assert 'cannot list resource "pods" in API group "" in the namespace "kube-system"' in refused


def test_rights_by_a_role_binding(server, space):
    user = "arn:aws:iam::123456789012:user/guest"
    assert "Forbidden" in server.kubectl_fails("-n", space, "get", "configmaps", user="guest")
    server.kubectl("-n", space, "create", "role", "reader", "--verb=get,list", "--resource=configmaps")
    server.kubectl("-n", space, "create", "rolebinding", "reader", "--role=reader", f"--user={user}")
    assert "kube-root-ca.crt" in server.kubectl("-n", space, "get", "configmaps", user="guest")
    assert "Forbidden" in server.kubectl_fails("-n", space, "get", "secrets", user="guest")


def test_nobody_is_let_in(server):
    assert "You must be logged in" in server.kubectl_fails("get", "--raw", "/api/v1/pods", user="nobody")
    context = ssl.create_default_context(cafile=server.state / "ca.pem")
    with urllib.request.urlopen(f"{server.url}/readyz", context=context, timeout=30) as answer:
        assert answer.read() == b"ok"
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(f"{server.url}/api/v1/pods", context=context, timeout=30)


def test_a_service_account_calls_with_its_token(server, space):
    token = server.kubectl("-n", space, "create", "token", "default").strip()
    server.write_config("account", {"token": token})
    assert f"system:serviceaccount:{space}:default" in server.kubectl("auth", "whoami", user="account")
    assert "Forbidden" in server.kubectl_fails("-n", space, "get", "pods", user="account")


# -- objects


def test_apply_twice_changes_nothing(server, space):
    assert "created" in server.kubectl("apply", "-f", "-", stdin=text(deployment(space)))
    before = server.get("-n", space, "deployment", "web")["metadata"]["resourceVersion"]
    assert "unchanged" in server.kubectl("apply", "-f", "-", stdin=text(deployment(space)))
    assert server.get("-n", space, "deployment", "web")["metadata"]["resourceVersion"] == before
    assert "configured" in server.kubectl("apply", "-f", "-", stdin=text(deployment(space, replicas=3)))
    after = server.get("-n", space, "deployment", "web")
    assert (after["spec"]["replicas"], after["metadata"]["generation"]) == (3, 2)


def test_server_side_apply_tells_conflicts(server, space):
    server.kubectl("apply", "--server-side", "--field-manager=alice", "-f", "-", stdin=text(deployment(space)))
    refused = server.kubectl_fails(
        "apply", "--server-side", "--field-manager=bob", "-f", "-", stdin=text(deployment(space, replicas=5))
    )
    assert 'conflict with "alice": .spec.replicas' in refused
    server.kubectl(
        "apply", "--server-side", "--force-conflicts", "--field-manager=bob", "-f", "-", stdin=text(deployment(space, 5))
    )
    assert server.get("-n", space, "deployment", "web")["spec"]["replicas"] == 5


def test_patches(server, space):
    server.kubectl("create", "-f", "-", stdin=text(deployment(space)))
    where = ("-n", space, "patch", "deployment", "web")
    server.kubectl(*where, "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}')
    server.kubectl(*where, "--type=merge", "-p", '{"metadata":{"labels":{"a":"b"}}}')
    server.kubectl(*where, "--type=json", "-p", '[{"op":"replace","path":"/spec/replicas","value":7}]')
    found = server.get("-n", space, "deployment", "web")
    assert found["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:2"
    assert found["metadata"]["labels"] == {"a": "b"}
    assert found["spec"]["replicas"] == 7


def test_scale_label_annotate_describe(server, space):
    server.kubectl("-n", space, "create", "deployment", "web", "--image=nginx")
    server.kubectl("-n", space, "scale", "deployment", "web", "--replicas=4")
    server.kubectl("-n", space, "label", "deployment", "web", "tier=front")
    server.kubectl("-n", space, "annotate", "deployment", "web", "note=1")
    described = server.kubectl("-n", space, "describe", "deployment", "web")
    assert "4 desired" in described and "tier=front" in described


def test_typed_clients_create(server, space):
    """kubectl sends these as protobuf."""
    server.kubectl("-n", space, "create", "configmap", "c", "--from-literal=k=v")
    server.kubectl("-n", space, "create", "secret", "generic", "s", "--from-literal=k=v")
    server.kubectl("-n", space, "create", "serviceaccount", "a")
    server.kubectl("-n", space, "create", "job", "j", "--image=busybox", "--", "true")
    server.kubectl("-n", space, "create", "cronjob", "cj", "--image=busybox", "--schedule=*/5 * * * *")
    server.kubectl("-n", space, "create", "service", "clusterip", "svc", "--tcp=80:8080")
    server.kubectl("-n", space, "create", "quota", "q", "--hard=pods=3")
    server.kubectl("-n", space, "create", "poddisruptionbudget", "b", "--selector=a=b", "--min-available=50%")
    server.kubectl("-n", space, "create", "ingress", "i", "--rule=example.com/*=svc:80")
    assert server.get("-n", space, "configmap", "c")["data"] == {"k": "v"}
    assert server.get("-n", space, "secret", "s")["data"] == {"k": "dg=="}
    assert server.get("-n", space, "poddisruptionbudget", "b")["spec"]["minAvailable"] == "50%"
    assert server.get("-n", space, "service", "svc")["spec"]["ports"][0]["targetPort"] == 8080
    assert "controller-uid" in json.dumps(server.get("-n", space, "job", "j")["spec"]["selector"])


def test_an_invalid_object_is_refused_in_kubernetes_words(server, space):
    refused = server.kubectl_fails("create", "-f", "-", stdin=text(deployment(space, replicas=-1)))
    assert "spec.replicas: Invalid value: -1: must be greater than or equal to 0" in refused
    wrong = deployment(space)
    wrong["spec"]["replcas"] = 1
    assert 'unknown field "spec.replcas"' in server.kubectl_fails("create", "-f", "-", stdin=text(wrong))


def test_a_stale_object_is_not_written(server, space):
    server.kubectl("create", "-f", "-", stdin=text(deployment(space)))
    stale = server.get("-n", space, "deployment", "web")
    server.kubectl("-n", space, "scale", "deployment", "web", "--replicas=3")
    refused = server.kubectl_fails("replace", "-f", "-", stdin=json.dumps(stale))
    assert "the object has been modified; please apply your changes to the latest version and try again" in refused


def test_lists_in_pages_and_by_selector(server, space):
    server.kubectl("create", "-f", "-", stdin=text(*(pod(space, f"p{i}") for i in range(5))))
    server.kubectl("-n", space, "label", "pod", "p3", "odd=yes")
    assert len(server.kubectl("-n", space, "get", "pods", "--chunk-size=2", "-o", "name").split()) == 5
    assert server.kubectl("-n", space, "get", "pods", "-l", "odd=yes", "-o", "name").strip() == "pod/p3"
    selected = ("--field-selector=metadata.name=p1,status.phase=Pending", "-o", "name")
    assert server.kubectl("-n", space, "get", "pods", *selected).strip() == "pod/p1"


def test_watch_and_wait(server, space):
    server.kubectl("create", "-f", "-", stdin=text(pod(space)))
    environment = {"HOME": str(server.folder), "KUBECONFIG": str(server.folder / "admin.kubeconfig")}
    command = [server.tools / "kubectl", "-n", space, "get", "pod", "p1", "-w", "-o", "jsonpath={.status.phase}{'\\n'}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as watching:
        assert watching.stdout.readline() == "Pending\n"
        patch = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
        server.kubectl("-n", space, "patch", "pod", "p1", "--subresource=status", "--type=merge", "-p", patch)
        assert watching.stdout.readline() == "Running\n"
        watching.terminate()
    server.kubectl("-n", space, "wait", "pod/p1", "--for=condition=Ready", "--timeout=10s")
    server.kubectl("-n", space, "delete", "pod", "p1", "--wait=true", "--timeout=10s")
    assert "NotFound" in server.kubectl_fails("-n", space, "get", "pod", "p1")


def test_logs(server, space):
    server.kubectl("create", "-f", "-", stdin=text(pod(space, nodeName="n1")))
    assert server.kubectl("-n", space, "logs", "p1") == "p1 c line 1\np1 c line 2\np1 c line 3\n"
    assert server.kubectl("-n", space, "logs", "p1", "--tail=1") == "p1 c line 3\n"
    assert "container x is not valid for pod p1" in server.kubectl_fails("-n", space, "logs", "p1", "-c", "x")


def test_exec_is_refused(server, space):
    server.kubectl("create", "-f", "-", stdin=text(pod(space, nodeName="n1")))
    assert "the sandbox runs no programs" in server.kubectl_fails("-n", space, "exec", "p1", "--", "true")


def test_the_proxy_of_a_service(server, space):
    server.kubectl("-n", space, "create", "service", "clusterip", "svc", "--tcp=80:8080")
    seen = json.loads(server.kubectl("get", "--raw", f"/api/v1/namespaces/{space}/services/svc:80/proxy/v1/models?a=b"))
    assert (seen["name"], seen["port"], seen["target"]) == ("svc", "80", "/v1/models?a=b")


def test_a_namespace_goes_with_its_contents(server, space):
    server.kubectl("create", "-f", "-", stdin=text(deployment(space), pod(space)))
    server.kubectl("delete", "namespace", space, "--timeout=20s")
    assert "NotFound" in server.kubectl_fails("get", "namespace", space)
    assert server.get("deployments", "-A", f"--field-selector=metadata.namespace={space}")["items"] == []
    assert "may not be deleted" in server.kubectl_fails("delete", "namespace", "default")


def test_dependents_go_with_their_owner(server, space):
    server.kubectl("-n", space, "create", "configmap", "owner")
    uid = server.get("-n", space, "configmap", "owner")["metadata"]["uid"]
    owned = pod(space)
    owned["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}]
    server.kubectl("create", "-f", "-", stdin=text(owned))
    server.kubectl("-n", space, "delete", "configmap", "owner")
    server.kubectl("-n", space, "wait", "pod/p1", "--for=delete", "--timeout=10s")


def test_custom_resources(server, space):
    server.kubectl("apply", "-f", "-", stdin=text(WIDGETS))
    server.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=10s")
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 3}}
    server.kubectl("-n", space, "apply", "-f", "-", stdin=text(widget))
    assert server.kubectl("-n", space, "get", "wd").split() == ["NAME", "SIZE", "w", "3"]
    assert server.get("-n", space, "wd", "w")["spec"] == {"size": 3, "replicas": 1}
    refused = server.kubectl_fails("-n", space, "create", "-f", "-", stdin=text(widget | {"spec": {"size": 0}}))
    assert "spec.size" in refused and "greater than or equal to 1" in refused
    server.kubectl("-n", space, "scale", "wd/w", "--replicas=4")
    status = ("--subresource=status", "--type=merge", "-p", '{"status":{"phase":"Ready"},"spec":{"size":8}}')
    server.kubectl("-n", space, "patch", "wd", "w", *status)
    found = server.get("-n", space, "wd", "w")
    assert (found["spec"], found["status"]) == ({"size": 3, "replicas": 4}, {"phase": "Ready"})
    assert "size\t<integer> -required-" in server.kubectl("explain", "widget.spec")
    server.kubectl("delete", "crd", "widgets.example.com", "--timeout=20s")
    assert "NotFound" in server.kubectl_fails("get", "--raw", "/apis/example.com/v1/widgets")


def test_helm(server, space, tmp_path):
    chart = tmp_path / "web"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text(text({"apiVersion": "v2", "name": "web", "version": "0.1.0"}))
    (chart / "values.yaml").write_text("replicas: 2\n")
    template = deployment(space)
    template["spec"]["replicas"] = 12345
    (chart / "templates" / "web.yaml").write_text(text(template).replace("12345", "{{ .Values.replicas }}"))
    server.helm("install", "one", str(chart), "-n", space)
    assert json.loads(server.helm("list", "-n", space, "-o", "json"))[0]["status"] == "deployed"
    server.helm("upgrade", "one", str(chart), "-n", space, "--set", "replicas=3")
    assert server.get("-n", space, "deployment", "web")["spec"]["replicas"] == 3
    server.helm("rollback", "one", "1", "-n", space)
    assert server.get("-n", space, "deployment", "web")["spec"]["replicas"] == 2
    server.helm("uninstall", "one", "-n", space)
    assert "NotFound" in server.kubectl_fails("-n", space, "get", "deployment", "web")


def test_what_was_told_survives_a_kill(tmp_path):
    server = ApiServer(tmp_path).start()
    server.kubectl("create", "configmap", "kept", "--from-literal=a=b")
    version = server.get("configmap", "kept")["metadata"]["resourceVersion"]
    server.kill()
    server.start()
    found = server.get("configmap", "kept")
    assert (found["data"], found["metadata"]["resourceVersion"]) == ({"a": "b"}, version)
    stop = server.stop()
    assert stop == 0
