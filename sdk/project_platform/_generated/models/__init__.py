"""The models of each resource. Generated from openapi.yaml by `python -m codegen`. Do not edit."""
