package main

import (
	"context"
	"fmt"
	"os"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func check[T any](value T, response any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	scope := os.Getenv("SVC_SCOPE")
	config := openapi.NewConfiguration()
	config.Servers = openapi.ServerConfigurations{{URL: os.Getenv("SVC_URL")}}
	client := openapi.NewAPIClient(config)
	ctx := context.WithValue(context.Background(), openapi.ContextAccessToken, os.Getenv("SVC_TOKEN"))
	text, q, question, hard := "The keeper lights the lamp.", "lamp keeper", "Who lights the lamp?", true
	unit := openapi.UnitInput{Text: &text, Metadata: map[string]interface{}{"year": 1907}}
	written := check(client.UnitsAPI.PostIngest(ctx).XSvcScope(scope).IngestInput(openapi.IngestInput{Units: []openapi.UnitInput{unit}}).Execute())
	filters := openapi.SearchFiltersInput{Metadata: map[string]interface{}{"year": map[string]int{"gte": 1900}}}
	found := check(client.SearchAPI.PostSearch(ctx).XSvcScope(scope).SearchInput(openapi.SearchInput{Q: &q, Filters: &filters}).Execute())
	answered := check(client.SearchAPI.PostAnswer(ctx).XSvcScope(scope).SearchInput(openapi.SearchInput{Q: &question}).Execute())
	listed := check(client.UnitsAPI.GetUnits(ctx).XSvcScope(scope).Execute())
	id, answer := written.Units[0].UnitId, answered.Answer.Get()
	deleted := check(client.UnitsAPI.PostUnitsDelete(ctx).XSvcScope(scope).DeleteUnitsInput(openapi.DeleteUnitsInput{Ids: []string{id}, Hard: &hard}).Execute())
	if found.Hits[0].UnitId != id || answer.Citations[0].UnitId != id || listed.Units[0].UnitId != id || deleted.Purged != 1 {
		panic(fmt.Sprint(found, answer, listed, deleted))
	}
}
