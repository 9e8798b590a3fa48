#include "sandbox/kubernetes/api/training_job_schema.h"

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// AWS does not publish its definition: these are the fields that its public SDK reads and writes.
constexpr std::string_view k_spec = R"json({
  "type": "object",
  "properties": {
    "nprocPerNode": {"type": "string", "default": "auto"},
    "replicaSpecs": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["name"],
        "properties": {
          "name": {"type": "string"},
          "replicas": {
            "type": "integer",
            "format": "int32",
            "default": 0
          },
          "maxReplicas": {
            "type": "integer",
            "format": "int32"
          },
          "spares": {
            "type": "integer",
            "format": "int32",
            "default": 0
          },
          "template": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": true
          }
        }
      }
    },
    "runPolicy": {
      "type": "object",
      "properties": {
        "activeDeadlineSeconds": {
          "type": "integer",
          "format": "int64"
        },
        "cleanPodPolicy": {"type": "string", "default": "All"},
        "faultDeadlineSeconds": {
          "type": "integer",
          "format": "int64"
        },
        "startupDeadlineSeconds": {
          "type": "integer",
          "format": "int64"
        },
        "jobMaxRetryCount": {
          "type": "integer",
          "format": "int32"
        },
        "suspend": {"type": "boolean"},
        "ttlSecondsAfterFinished": {
          "type": "integer",
          "format": "int32",
          "default": 0
        },
        "workloadMode": {"type": "string"},
        "restartPolicy": {
          "type": "object",
          "required": ["evalPeriodSeconds"],
          "properties": {
            "evalPeriodSeconds": {
              "type": "integer",
              "format": "int32"
            },
            "maxFullJobRestarts": {
              "type": "integer",
              "format": "int32"
            },
            "numRestartBeforeFullJobRestart": {
              "type": "integer",
              "format": "int32"
            },
            "maxNumRepeatOffendersToAvoid": {
              "type": "integer",
              "format": "int32"
            },
            "scaleUpSnoozeTimeInSeconds": {
              "type": "integer",
              "format": "int32",
              "default": 0
            }
          }
        },
        "logMonitoringConfiguration": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["name", "logPattern"],
            "properties": {
              "name": {
                "type": "string"
              },
              "logPattern": {
                "type": "string"
              },
              "stopPattern": {
                "type": "string"
              },
              "expectedStartCutOffInSeconds": {
                "type": "integer",
                "format": "int32"
              },
              "expectedRecurringFrequencyInSeconds": {
                "type": "integer",
                "format": "int32"
              },
              "metricThreshold": {
                "type": "integer",
                "format": "int32"
              },
              "metricEvaluationDataPoints": {
                "type": "integer",
                "format": "int32",
                "default": 1
              },
              "operator": {
                "type": "string",
                "enum": ["gt", "lt", "eq", "gteq", "lteq"]
              }
            }
          }
        }
      }
    },
    "elasticPolicy": {
      "type": "object",
      "properties": {
        "minReplicas": {
          "type": "integer",
          "format": "int32"
        },
        "maxReplicas": {
          "type": "integer",
          "format": "int32"
        },
        "replicaIncrementStep": {
          "type": "integer",
          "format": "int32"
        },
        "replicaDiscreteValues": {
          "type": "array",
          "items": {
            "type": "integer",
            "format": "int32"
          }
        },
        "scalingTimeoutInSeconds": {
          "type": "integer",
          "format": "int32"
        },
        "gracefulShutdownTimeoutInSeconds": {
          "type": "integer",
          "format": "int32"
        },
        "faultyScaleDownTimeoutInSeconds": {
          "type": "integer",
          "format": "int32"
        }
      }
    }
  }
})json";

json::object column(std::string_view name, std::string_view type, std::string_view path) {
  return {{"name", name}, {"type", type}, {"jsonPath", path}};
}

}  // namespace

json::object training_job_schema() {
  const auto spec = parse_json(k_spec);
  const json::object open{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  return {{"type", "object"},
          {"properties",
           json::object{{"spec", spec ? json::value(*spec) : json::value(open)}, {"status", open}}}};
}

json::array training_job_columns() {
  return {column("State", "string", ".status.conditions[-1:].type"),
          column("Restarts", "integer", ".status.restartCount"),
          column("Age", "date", ".metadata.creationTimestamp")};
}

}  // namespace instantstart::sandbox::kubernetes
